import type { TokenizerTask } from '@tollgate/contracts/inference';
import { tokenizerAttempt } from '@tollgate/dialects';
import type { GenerationCall } from '@tollgate/messaging';
import type { AttemptOrder } from '../generation/attempt-order';
import { CallerAnswer } from '../generation/caller-answer';
import {
  answersFull,
  internalFault,
  noRoute,
  noTokenizer,
  providersFailed,
  stopped,
  type Outcome,
} from '../generation/generation-failure';
import type { RunResources } from '../generation/generation-run';
import { UpstreamAttempt, type AttemptEnd } from '../generation/upstream-attempt';
import { callerOf } from '../health/caller-window';
import type { AttemptFailure } from '../routing/attempt-plan';
import type { Route } from '../routing/route-table';
import { timeLimitsOf } from '../routing/time-limits';
import { besideV1, withKey, upstreamHeaders } from '../upstream/provider-endpoint';

type Resources = Pick<RunResources, 'upstream' | 'gate' | 'keys' | 'logger' | 'memory' | 'turns' | 'maxAnswerBytes'>;

/** What a server says that has no such address, or does not serve it. */
const hasNone: ReadonlySet<number | null> = new Set([404, 405, 501]);

/**
 * Has the tokenizer of the model's own server asked, and passes its answer on as it comes: the first of the
 * model's places that answers. Nothing is generated and nothing billed, so there is neither an attempt that
 * edge hears of nor a usage event, and nothing is learned of the server's health. It ends the call.
 */
export async function askTokenizer(
  call: GenerationCall,
  task: TokenizerTask,
  routes: readonly Route[],
  resources: Resources,
): Promise<void> {
  const outcome = await askInTurn(call, task, routes, resources);
  if (outcome.state === 'completed') call.end(null);
  else call.fail(outcome.failure, null);
}

async function askInTurn(
  call: GenerationCall,
  task: TokenizerTask,
  routes: readonly Route[],
  resources: Resources,
): Promise<Outcome> {
  const { model } = call.request;
  const able = routes.filter(({ endpoint }) => endpoint.provider.tokenizes);
  if (routes.length > 0 && able.length === 0) return noTokenizer(model);
  const caller = callerOf(call.request);
  const failures: AttemptFailure[] = [];
  for (const route of able.filter((each) => resources.gate.isOpenTo(each, caller))) {
    const answer = new CallerAnswer(call);
    const order = orderFor(call, task, route, failures.length + 1, resources);
    const end = await run(call, new UpstreamAttempt(order, answer, null, ignore, ignore), resources);
    if (end.kind !== 'failed') return outcomeOf(end, call, resources);
    const { requestId } = call.request;
    const reason = end.error.message;
    resources.logger.warn({ requestId, provider: route.endpoint.provider.id, reason }, 'a tokenizer did not answer');
    failures.push(hasNone.has(end.status) ? asRefusal(end, task) : end);
    if (answer.begun || end.error.fault === 'caller') break;
  }
  const last = failures.at(-1);
  return last ? providersFailed(failures, last) : noRoute(model);
}

async function run(
  call: GenerationCall,
  attempt: UpstreamAttempt,
  { upstream }: Pick<Resources, 'upstream'>,
): Promise<AttemptEnd> {
  call.onStop = () => attempt.stop('stopped');
  if (call.stopReason) attempt.stop('stopped');
  return attempt.run(upstream);
}

function outcomeOf(
  end: Exclude<AttemptEnd, { kind: 'failed' }>,
  { request, stopReason }: GenerationCall,
  { logger }: Pick<Resources, 'logger'>,
): Outcome {
  switch (end.kind) {
    case 'completed':
      return { state: 'completed' };
    case 'stopped':
    case 'outrun':
      return stopped(stopReason);
    case 'crowded-out':
      return answersFull();
    case 'internal':
      logger.error({ requestId: request.requestId, err: end.cause }, 'a tokenizer was not asked');
      return internalFault();
  }
}

/** Who asks for what a server does not have is told so: the server works, and another try would not help. */
function asRefusal({ error, ...failure }: AttemptFailure, task: TokenizerTask): AttemptFailure {
  const message = `${error.message}. It has no POST /${task}, or no such model.`;
  return { ...failure, error: { fault: 'caller', code: error.code, message, retryAfterS: null } };
}

function orderFor(
  { request, body }: GenerationCall,
  task: TokenizerTask,
  route: Route,
  number: number,
  { keys, memory, turns, maxAnswerBytes }: Resources,
): AttemptOrder {
  const { model, deployment } = route;
  const { provider } = route.endpoint;
  const key = keys.choose(route, request.keyId);
  const endpoint = besideV1(key ? withKey(route.endpoint, key) : route.endpoint);
  const target = { provider, model, upstreamModel: deployment.upstreamModel, stream: false };
  const prepared = tokenizerAttempt(task, body, target);
  const { path, headers, body: sent, warnings } = prepared.request;
  const timeouts = timeLimitsOf(route, { stream: false, last: true, ahead: 0 });
  return {
    route: { ...route, endpoint },
    key,
    send: {
      endpoint,
      timeouts,
      path,
      headers: upstreamHeaders(request, endpoint, headers, false),
      body: sent,
      totalMs: Math.max(1, Math.min(request.deadlineAt - Date.now(), timeouts.totalMs)),
    },
    ofOperator: request.operator === true,
    facts: { route, stream: false, attempts: () => number, warnings },
    answerReader: () => prepared.answerReader(),
    maxHeldBytes: maxAnswerBytes,
    admit: (bytes, over) => memory.admit(request, Math.min(bytes, memory.limit), over),
    read: turns.reader(request),
    countInputTokens: () => 0,
    continued: null,
  };
}

function ignore(): void {
  // An attempt tells of its head and first bytes, which matter to the health of places that generate.
}
