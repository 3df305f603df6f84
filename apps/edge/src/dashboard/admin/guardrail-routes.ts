import {
  accountsOperations,
  GatewayError,
  guardrailOperations,
  guardrailTrial,
  setGuardrailOperations,
  type Guardrail,
} from '@tollgate/contracts';
import { LinearPattern, PatternError } from '@tollgate/guardrails';
import { z } from 'zod';
import { tryGuardrails, type TriedGuardrails, type TriedText } from '../../guardrails/tried-text';
import type { DashboardServices } from '../dashboard-services';
import { route } from '../route';
import { doRecorded } from './record-act';

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
