import { GatewayError } from '@tollgate/contracts';
import { readTokenCount, tokenCountAnswer, tokenCountRequest, type UpstreamRequest } from '@tollgate/dialects';
import type { GenerationCall } from '@tollgate/messaging';
import { callerOf } from '../health/caller-window';
import { answerHead } from '../generation/caller-answer';
import { targetOf } from '../generation/attempt-order';
import { noRoute, refusedByTranslation, stopped, type Outcome } from '../generation/generation-failure';
import type { RunResources } from '../generation/generation-run';
import type { Route } from '../routing/route-table';
import { timeLimitsOf } from '../routing/time-limits';
import { upstreamHeaders, withKey, withReadingKey } from '../upstream/provider-endpoint';
import { BoundedBody } from '../generation/bounded-body';
import type { UpstreamExchange, UpstreamHeaders, UpstreamListener } from '../upstream/upstream-exchange';
import type { Upstream, UpstreamSend } from '../upstream/upstream-pools';

/** A provider that takes longer to count is not worth waiting for. */
const patienceMs = 10_000;

/**
 * Answers a call that only asks how many input tokens its request has: with the count of the model's first
 * provider where that counts for others and is well, else with the tokenizer's, which the caller is told.
 * Nothing is generated and nothing billed, so there is neither an attempt nor a usage event. It ends the
 * call.
 */
export async function countRequestTokens(
  call: GenerationCall,
  routes: readonly Route[],
  resources: Pick<RunResources, 'upstream' | 'gate' | 'keys'>,
): Promise<void> {
  const [route] = routes;
  if (!route) return end(call, noRoute(call.request.model));
  try {
    const isOpen = resources.gate.isOpenTo(route, callerOf(call.request));
    const told = isOpen ? await askProvider(call, route, resources) : null;
    if (call.signal.aborted) return end(call, stopped(call.signal.reason));
    const facts = {
      route,
      stream: false,
      attempts: () => (told ? 1 : 0),
      warnings: told ? [] : [estimated(route)],
    };
    call.head(answerHead(facts, {}));
    call.write(told ?? writeCount(call, route.translation.countInputTokens(call.body, route.model)));
    call.end(null);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    end(call, refusedByTranslation(error));
  }
}

/**
 * The provider's own count, its very bytes where it speaks the caller's dialect; null when it counts nothing,
 * or could not be asked.
 * @throws GatewayError 400 when it refuses the request itself.
 */
async function askProvider(
  call: GenerationCall,
  route: Route,
  { upstream, keys }: Pick<RunResources, 'upstream' | 'keys'>,
): Promise<Uint8Array | null> {
  const chosen = keys.choose(route, call.request.keyId);
  // A provider of two dialects may count in one of them only.
  for (const way of [route, ...route.elsewhere.filter(({ forTools }) => !forTools)]) {
    const { endpoint, translation } = way;
    const { provider } = endpoint;
    const send = withReadingKey(endpoint, chosen, new Set(), (key) => {
      const request = tokenCountRequest(translation, call.body, targetOf(call.request, route, key));
      return request && toSend(call, { ...route, ...way, ...(key && { endpoint: withKey(endpoint, key) }) }, request);
    });
    if (!send) continue;
    const answer = await gatherAnswer(upstream, send, call.signal);
    if (!answer) return null;
    const { status, headers, body } = answer;
    if (status < 300) {
      const count = readTokenCount(translation.provider, body);
      if (count === null) return null;
      return translation.provider === translation.surface ? body : writeCount(call, count);
    }
    const error = translation.readError(status, headers, body, provider.name, Date.now());
    if (error.fault !== 'caller' || cannotCount.test(error.message)) return null;
    throw new GatewayError(error.status ?? 400, error.message);
  }
  return null;
}

/**
 * What Bedrock says of most models and of all inference profiles.
 * https://docs.aws.amazon.com/bedrock/latest/userguide/count-tokens.html
 */
const cannotCount = /support\w* counting tokens/i;

function writeCount({ request }: GenerationCall, inputTokens: number): Uint8Array {
  return Buffer.from(JSON.stringify(tokenCountAnswer(request.surface, inputTokens)));
}

function toSend({ request }: GenerationCall, route: Route, { path, headers, body }: UpstreamRequest) {
  const { endpoint, translation } = route;
  const sent = upstreamHeaders(request, endpoint, headers, translation.provider === request.surface);
  const timeouts = timeLimitsOf(route, { stream: false, last: true, ahead: 0 });
  const totalMs = Math.max(1, Math.min(patienceMs, request.deadlineAt - Date.now()));
  return { endpoint, timeouts, path, headers: sent, body, totalMs };
}

function estimated({ endpoint }: Route): string {
  return `the tokens were estimated by tokenizer: ${endpoint.provider.name} gave no count`;
}

function end(call: GenerationCall, outcome: Outcome): void {
  if (outcome.state !== 'completed') call.fail(outcome.failure, null);
}

/** A small answer that was read to its end. */
interface GatheredAnswer {
  status: number;
  headers: UpstreamHeaders;
  body: Uint8Array;
}

/** Far more than a count or an error needs. */
const maxBytes = 64 * 1024;

/**
 * Sends a request whose answer is small, and resolves with the whole of it; null when there was none, it was
 * too long, or the signal aborted. Never rejects.
 */
function gatherAnswer(upstream: Upstream, send: UpstreamSend, signal: AbortSignal): Promise<GatheredAnswer | null> {
  return new Promise((resolve) => new Gathering(resolve, signal).start(upstream, send));
}

class Gathering implements UpstreamListener {
  private readonly body = new BoundedBody(maxBytes);
  private head: Pick<GatheredAnswer, 'status' | 'headers'> | null = null;
  private exchange: UpstreamExchange | null = null;
  private readonly giveUp = (): void => {
    this.exchange?.abort();
    this.finish(null);
  };

  constructor(
    private readonly resolve: (answer: GatheredAnswer | null) => void,
    private readonly signal: AbortSignal,
  ) {}

  start(upstream: Upstream, send: UpstreamSend): void {
    if (this.signal.aborted) return this.finish(null);
    this.signal.addEventListener('abort', this.giveUp, { once: true });
    this.exchange = upstream.send(send, this);
  }

  onHead(status: number, headers: UpstreamHeaders): void {
    this.head = { status, headers };
  }

  onBytes(bytes: Uint8Array): void {
    this.body.push(bytes);
    if (this.body.full) this.giveUp();
  }

  onEnd(): void {
    this.finish(this.head && { ...this.head, body: this.body.bytes() });
  }

  onFault(): void {
    this.finish(null);
  }

  private finish(answer: GatheredAnswer | null): void {
    this.signal.removeEventListener('abort', this.giveUp);
    this.resolve(answer);
  }
}
