import { GatewayError, type Guardrail, type GuardrailAction, type GuardrailSide } from '@tollgate/contracts';
import { GuardrailSet, type Guard } from '@tollgate/guardrails';
import { guardedBody } from './guarded-body';

interface Asked {
  messages: [{ content: string }];
}

/** A text as a request or an answer might hold it. `model`, `keyId` absent: of any. */
export interface TriedText {
  readonly text: string;
  readonly side: GuardrailSide;
  readonly model?: string | undefined;
  readonly keyId?: string | undefined;
}

/**
 * What guardrails would do with a text. `holding`: how many hold for it; `findings`: each that finds
 * something, in their order, also behind one that blocks; `goesOn` null: it is blocked, by `blockedBy`.
 */
export interface TriedGuardrails {
  holding: number;
  findings: { guardrail: string; action: GuardrailAction }[];
  blockedBy: string | null;
  goesOn: string | null;
}

/** `watching` finds the same as `acting`, and does nothing about it. */
interface Compiled {
  readonly acting: GuardrailSet;
  readonly watching: GuardrailSet;
}

/** By the guardrails of a catalog, and by what they are tried for. Patterns are many: each is read once. */
const compiled = new WeakMap<readonly Guardrail[], Map<string, Compiled>>();

/**
 * Has guardrails look through a text in the way of requests and answers. Nothing of it is counted, logged or
 * kept.
 */
export function tryGuardrails(guardrails: readonly Guardrail[], tried: TriedText): TriedGuardrails {
  const asked = { model: tried.model ?? '', keyId: tried.keyId ?? '' };
  const { acting, watching } = compiledFor(guardrails, tried);
  const found = new Set<string>();
  const watch = watching.guardFor(asked, (guardrail) => found.add(guardrail));
  const guard = acting.guardFor(asked, () => undefined);
  if (!watch || !guard) return { holding: 0, findings: [], blockedBy: null, goesOn: tried.text };
  passed(watch, tried);
  const findings = guardrails.flatMap(({ id, action }) => (found.has(id) ? [{ guardrail: id, action }] : []));
  return { holding: guard.rules.length, findings, ...passed(guard, tried) };
}

function compiledFor(guardrails: readonly Guardrail[], { side, model, keyId }: TriedText): Compiled {
  const name = `${side} ${model === undefined} ${keyId === undefined}`;
  const known = compiled.get(guardrails) ?? new Map<string, Compiled>();
  compiled.set(guardrails, known);
  const ofAny = () =>
    guardrails.map((guardrail) => ({
      ...guardrail,
      ...(model === undefined && { models: [] }),
      ...(keyId === undefined && { keys: [] }),
    }));
  const sets = known.get(name) ?? {
    acting: new GuardrailSet(ofAny(), side),
    watching: new GuardrailSet(
      ofAny().map((guardrail) => ({ ...guardrail, action: 'flag' as const })),
      side,
    ),
  };
  known.set(name, sets);
  return sets;
}

function passed(guard: Guard, { text, side }: TriedText): Pick<TriedGuardrails, 'blockedBy' | 'goesOn'> {
  return side === 'input' ? passedRequest(guard, text) : passedAnswer(guard, text);
}

function passedRequest(guard: Guard, text: string): Pick<TriedGuardrails, 'blockedBy' | 'goesOn'> {
  try {
    const asked: Asked = { messages: [{ content: text }] };
    const body = guardedBody(guard, asked, Buffer.from(JSON.stringify(asked))) as Asked;
    return { blockedBy: null, goesOn: body.messages[0].content };
  } catch (error) {
    if (error instanceof GatewayError && error.guardrail !== null) return { blockedBy: error.guardrail, goesOn: null };
    throw error;
  }
}

function passedAnswer(guard: Guard, text: string): Pick<TriedGuardrails, 'blockedBy' | 'goesOn'> {
  const gate = guard.gate();
  const goesOn = gate.push(text) + gate.end();
  return gate.blockedBy === null ? { blockedBy: null, goesOn } : { blockedBy: gate.blockedBy, goesOn: null };
}
