import { uuidv7 } from '@tollgate/contracts';
import type { GenerationRequest } from '@tollgate/contracts/inference';
import { mostBackgroundMakings } from '@tollgate/contracts/metering';
import type { Span } from '@tollgate/observability';
import type { Admitted, Reserved } from '../admission/admission';
import type { Caller } from '../callers/authenticator';
import type { RequestContext } from '../http/request-context';
import type { BackgroundWork } from '../responses/background/background-work';
import type { NearTurns } from '../responses/socket/near-turns';
import type { CallerResponse } from './caller-response';
import type { RequestMessage } from './inner-exchange';
import type { Operation } from './operations';
import type { HeldBody } from './held-body';
import { traceparentOf } from './request-span';
import type { Understood } from './request-reader';

/** Where a request comes from, where that is not the network alone. */
export interface Origin {
  /** Who asks, where that is known already; null: the request carries a key. */
  readonly caller?: Caller | null;
  /** It was let in before, and is made again; null: its caller waits for the answer. */
  readonly work?: BackgroundWork | null;
  /** What the connection that it came over remembers; null: it came by itself. */
  readonly near?: NearTurns | null;
}

/** One request on its way in. */
export interface Incoming extends Required<Origin> {
  readonly operation: Operation;
  readonly message: RequestMessage;
  readonly response: CallerResponse;
  readonly context: RequestContext;
  readonly span: Span;
}

/** A request that may be served, with what is held for it. */
export interface Served extends Understood {
  readonly admitted: Admitted;
  readonly held: HeldBody;
  /** With which keys of its account it goes (`ownKeysFor`), as was decided when it was granted; null: none. */
  readonly ownKeys: Readonly<Record<string, string>> | null;
  /** The id of the model among whose requests a minute it counts already; absent: of none. */
  readonly countedFor?: string;
}

/** A request as it goes on. What another model answers is not kept under the name of the one asked for. */
export function servedWith(
  understood: Served,
  { goesOn, model, ownKeys }: Pick<Served, 'goesOn' | 'model' | 'ownKeys'>,
): Served {
  if (model !== understood.model) return { ...understood, goesOn, model, ownKeys, cache: null };
  const isAsUnderstood = goesOn === understood.goesOn && !ownKeys;
  return isAsUnderstood ? understood : { ...understood, goesOn, ownKeys };
}

/** What inference is told of a request. `timeoutMs`: how long it may take. */
export function toGenerationRequest(
  incoming: Incoming,
  served: Served,
  reservation: Reserved,
  timeoutMs: number,
): GenerationRequest {
  const { operation, message, context, span, work } = incoming;
  const { sent, model } = served;
  const { key } = served.admitted.caller;
  return {
    kind: operation.kind,
    requestId: context.requestId,
    eventId: work?.parts.record.eventId ?? uuidv7(),
    keyId: key.id,
    accountId: key.accountId,
    surface: operation.surface.name,
    requestedModel: sent.read.model,
    model: model.id,
    stream: sent.read.stream,
    // All usage is told there unasked: https://openrouter.ai/docs/use-cases/usage-accounting
    includeUsage: sent.read.includeUsage || (context.tellsThoughts && sent.read.stream),
    startedAt: context.startedAt,
    deadlineAt: context.startedAt + timeoutMs,
    lease: reservation.leaseId,
    ...(reservation.tokens > 0 && { reserved: reservation.tokens }),
    ...(reservation.holds.length > 0 && { budgets: [...reservation.holds] }),
    traceparent: span.traceparent ?? traceparentOf(message.headers),
    headers: served.providerHeaders,
    ...(served.tellsCost && { tellUsage: true }),
    ...(context.tellsThoughts && { tellThoughts: true }),
    ...(served.goesOn && { goesOn: true }),
    ...(key.operator && { operator: true }),
    ...(served.ownKeys && { ownKeys: served.ownKeys }),
    ...(served.attribution && { attribution: served.attribution }),
    ...(work && work.parts.making < mostBackgroundMakings && { madeAgain: true }),
    ...(sent.read.maxOutputTokens && { maxOutputTokens: sent.read.maxOutputTokens }),
  };
}
