import { z } from 'zod';
import { GatewayError } from '@tollgate/contracts';
import { accountsOperations } from '@tollgate/contracts/accounts';
import { setGuardrailOperations, type Guardrail, type GuardrailAction } from '@tollgate/contracts/catalog';
import { guardrailOperations, guardrailTrial, type GuardrailSide } from '@tollgate/contracts/metering';
import { LinearPattern, PatternError, GuardrailSet, type Guard } from '@tollgate/guardrails';
import type { DashboardServices } from '../dashboard-services';
import { route } from '../route';
import { doRecorded } from './record-act';
import { guardedBody } from '../../generation/guarded-body';

interface Asked {
  messages: [{ content: string }];
}

/** A text as a request or an answer might hold it. `model`, `keyId` absent: of any. */
interface TriedText {
  readonly text: string;
  readonly side: GuardrailSide;
  readonly model?: string | undefined;
  readonly keyId?: string | undefined;
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

const mostDraftPatterns = 10;
/** Of all its patterns: at worst each letter costs as much, and this edge answers nobody meanwhile. */
const mostDraftStates = 200;
const hourMs = 3_600_000;
const windowsMs = { day: 24 * hourMs, week: 7 * 24 * hourMs, month: 31 * 24 * hourMs };

const action = z.enum(['block', 'redact', 'flag']);

/**
 * A guardrail in force. `looksFor`: its patterns, or the kinds of personal data. `keys`, `models` empty: of
 * all.
 */
const listedGuardrail = z.object({
  id: z.string(),
  kind: z.enum(['regex', 'pii']),
  appliesTo: z.enum(['input', 'output', 'both']),
  action,
  keys: z.array(z.string()),
  models: z.array(z.string()),
  looksFor: z.array(z.string()),
});

const { list, set, remove } = setGuardrailOperations;
const counted = guardrailOperations.list.reply.shape.counts;

/** What guardrails are in force, how often they find something, and what they would do with a text. */
export const guardrailRoutes = [
  route({
    method: 'GET',
    path: '/api/admin/guardrails',
    access: 'administrator',
    summary: 'Guardrails in force, and how often each found something in the last day, week or month',
    query: z.strictObject({ window: z.enum(['day', 'week', 'month']).default('week') }),
    answer: z.object({
      data: z.array(listedGuardrail),
      counts: counted.nullable().describe('Also of guardrails that are gone; null: metering is away'),
    }),
    handle: async ({ query }, services) => {
      // The hour that runs is counted, too.
      const endAt = Date.now() + hourMs;
      const asked = { startAt: endAt - windowsMs[query.window], endAt };
      const told = await services.askIfThere(guardrailOperations.list, asked);
      return { data: services.catalog.snapshot().guardrails.map(toListed), counts: told?.counts ?? null };
    },
  }),
  route({
    method: 'GET',
    path: '/api/admin/guardrails/settings',
    access: 'administrator',
    summary: 'Guardrails of which the file or the settings say something, whether they hold, and what the settings say',
    answer: list.reply,
    handle: (_asked, services) => services.ask(list, {}),
  }),
  route({
    method: 'POST',
    path: '/api/admin/guardrails',
    access: 'administrator',
    summary: 'Add a guardrail, or put this one in the place of the one of its id, as a whole',
    body: set.request.omit({ by: true }),
    answer: set.reply,
    handle: ({ body, signedIn }, services) => doRecorded(set, body, signedIn, services),
  }),
  route({
    method: 'POST',
    path: '/api/admin/guardrails/remove',
    access: 'administrator',
    summary: 'Take a guardrail out of the settings',
    body: remove.request.omit({ by: true }),
    answer: remove.reply,
    handle: ({ body, signedIn }, services) => doRecorded(remove, body, signedIn, services),
  }),
  route({
    method: 'POST',
    path: '/api/admin/guardrails/try',
    access: 'administrator',
    summary: guardrailTrial.summary,
    body: guardrailTrial.body,
    answer: guardrailTrial.answer,
    handle: ({ body }, services) => tryText(body, services),
  }),
];

/**
 * What guardrails would do with a text.
 * @throws GatewayError 404 for a model or a key that is not there, 400 for a draft that cannot be tried.
 */
export async function tryText(
  { model: named, draft, ...tried }: z.output<typeof guardrailTrial.body>,
  services: Pick<DashboardServices, 'ask' | 'catalog'>,
): Promise<TriedGuardrails> {
  const { catalog } = services;
  const model = named === undefined ? undefined : catalog.resolve(named, { models: [] }).model.id;
  if (tried.keyId !== undefined) await services.ask(accountsOperations.getKey, { keyId: tried.keyId });
  return draft
    ? tryDraft(draft, { ...tried, model })
    : tryGuardrails(catalog.snapshot().guardrails, { ...tried, model });
}

/** @throws GatewayError 400 for patterns that cannot be taken, or too many. */
function tryDraft(draft: Guardrail, tried: TriedText): TriedGuardrails {
  if (draft.kind === 'regex' && draft.patterns.length > mostDraftPatterns)
    throw new GatewayError(400, `draft.patterns: no more than ${mostDraftPatterns} are tried at once.`);
  try {
    const patterns = draft.kind === 'regex' ? draft.patterns : [];
    const states = patterns.reduce((sum, pattern) => sum + new LinearPattern(pattern).size, 0);
    if (states > mostDraftStates)
      throw new GatewayError(400, 'draft.patterns: together they are too large to be tried: make repetitions shorter.');
    return tryGuardrails([draft], tried);
  } catch (error) {
    if (error instanceof PatternError) throw new GatewayError(400, `draft.patterns: one ${error.message}.`);
    throw error;
  }
}

function toListed({ id, kind, appliesTo, action: does, keys, models, ...rule }: Guardrail) {
  const looksFor = 'patterns' in rule ? rule.patterns : rule.detectors;
  return { id, kind, appliesTo, action: does, keys, models, looksFor };
}
