import { GatewayError, type Guardrail, type GuardrailAction, type GuardrailSide } from '@tollgate/contracts';
import { GuardrailSet, type Guard } from '@tollgate/guardrails';
import { guardedBody } from './guarded-body';

interface Asked {
  messages: [{ content: string }];
}

/** A text as a request or an answer might hold it. `model`, `keyId` absent: of any. */
interface TriedText {
  readonly text: string;
  readonly side: GuardrailSide;
  readonly model?: string;
  readonly keyId?: string;
}

/**
 * What guardrails would do with a text. `holding`: how many hold for it; `findings`: each that finds
 * something, in their order, also behind one that blocks; `goesOn` null: it is blocked, by `blockedBy`.
 */
interface TriedGuardrails {
  holding: number;
  findings: { guardrail: string; action: GuardrailAction }[];
  blockedBy: string | null;
  goesOn: string | null;
}

/**
 * Has guardrails look through a text in the way of requests and answers. Nothing of it is counted, logged or
 * kept.
 */
export function tryGuardrails(guardrails: readonly Guardrail[], tried: TriedText): TriedGuardrails {
  const { side, model, keyId } = tried;
  const ofAny = guardrails.map((guardrail) => ({
    ...guardrail,
    ...(model === undefined && { models: [] }),
    ...(keyId === undefined && { keys: [] }),
  }));
  const asked = { model: model ?? '', keyId: keyId ?? '' };
  const actions = new Map(ofAny.map(({ id, action }) => [id, action]));
  const findings: TriedGuardrails['findings'] = [];
  const watching = ofAny.map((guardrail) => ({ ...guardrail, action: 'flag' as const }));
  const watch = new GuardrailSet(watching, side).guardFor(asked, (guardrail) =>
    findings.push({ guardrail, action: actions.get(guardrail) ?? 'flag' }),
  );
  const guard = new GuardrailSet(ofAny, side).guardFor(asked, () => undefined);
  if (!watch || !guard) return { holding: 0, findings, blockedBy: null, goesOn: tried.text };
  passed(watch, tried);
  const order = ofAny.map(({ id }) => id);
  findings.sort((one, other) => order.indexOf(one.guardrail) - order.indexOf(other.guardrail));
  return { holding: guard.rules.length, findings, ...passed(guard, tried) };
}

function passed(guard: Guard, { text, side }: TriedText): Pick<TriedGuardrails, 'blockedBy' | 'goesOn'> {
  return side === 'input' ? passedRequest(guard, text) : passedAnswer(guard, text);
}

function passedRequest(guard: Guard, text: string): Pick<TriedGuardrails, 'blockedBy' | 'goesOn'> {
  try {
    const body = guardedBody(guard, { messages: [{ role: 'user', content: text }] }) as Asked;
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
