import type { ErrorDetails, GatewayError } from '@tollgate/contracts';
import { cancelReasons } from '@tollgate/contracts/inference';
import type { CancelReason, GenerationFailure } from '@tollgate/contracts/inference';
import type { AttemptRefusal } from '../health/attempt-gate';
import type { PlaceShare } from '../health/places';
import { saysBusy } from '../health/attempt-pass';
import { closedByOperator, type AttemptFailure } from '../routing/attempt-plan';

/** How a generation ended, for the caller and for its usage event. */
export type Outcome =
  | { state: 'completed' }
  | { state: 'failed'; failure: GenerationFailure }
  | { state: 'cancelled'; failure: GenerationFailure };

/** The request itself cannot be expressed to any provider of its model. */
export function refusedByTranslation(error: GatewayError): Outcome {
  return failed('refused', error.status, error.message, error.retryAfterS, error.details);
}

/**
 * Nothing here can generate the model: its provider has no credential on this instance, or the catalog just
 * changed.
 */
export function noRoute(model: string): Outcome {
  return failed('overloaded', 503, `No provider of ${model} is available here at the moment; please try again.`, 5);
}

/** No provider of the model has the endpoint that was asked. */
export function noSuchEndpoint(model: string): GenerationFailure {
  const message = `The provider of ${model} has no text completions: ask it at POST /v1/chat/completions.`;
  return { code: 'refused', status: 400, message, retryAfterS: null };
}

/** No server of the model has its tokenizer asked. */
export function noTokenizer(model: string): Outcome {
  const message = `The provider of ${model} has no tokenizer to ask. Servers of llama.cpp, vLLM and SGLang have one, and those with tokenizes: true.`;
  return failed('refused', 400, message, null);
}

/**
 * No attempt was made. `refusal`: why the request cannot be expressed, null when it can; `passedOver`: what
 * kept each route from being tried.
 */
export function nothingToTry(
  model: string,
  refusal: GatewayError | null,
  passedOver: readonly AttemptRefusal[],
): Outcome {
  if (passedOver.length === 0) return refusal ? refusedByTranslation(refusal) : noRoute(model);
  if (passedOver.every(({ kind }) => kind === 'late')) return deadlinePassed();
  if (passedOver.every(({ kind }) => kind === 'held')) return takenOut(model, passedOver);
  // A provider that is full has room again as soon as an answer ends.
  const [full] = passedOver.flatMap((refused) => (refused.kind === 'full' ? [refused.share] : []));
  const retryAfterS = full ? 1 : (secondsUntilOpen(passedOver) ?? 1);
  const why = full ? `get as many requests as they take (${told(full)})` : 'are failing';
  return failed('upstream', 503, `The providers of ${model} ${why} at the moment; please try again.`, retryAfterS);
}

/** Where nobody knows when a place is opened again. */
const lookAgainS = 60;

/** Operators keep requests from every place of the model. Their words are for operators, and not told. */
function takenOut(model: string, passedOver: readonly AttemptRefusal[]): Outcome {
  const message = `The operator of this gateway has taken the places of ${model} out of service for now.`;
  return failed('upstream', 503, message, secondsUntilOpen(passedOver) ?? lookAgainS);
}

/** When the first of the places may be tried again; null: nobody knows. */
function secondsUntilOpen(passedOver: readonly AttemptRefusal[]): number | null {
  const waitsMs = passedOver.flatMap((refused) => {
    if (refused.kind === 'open') return [refused.waitMs];
    return refused.kind === 'held' && refused.until !== null ? [refused.until - Date.now()] : [];
  });
  return waitsMs.length === 0 ? null : Math.max(1, Math.ceil(Math.min(...waitsMs) / 1_000));
}

function told({ own, places, fair, account }: PlaceShare): string {
  const ofKey = `${own} of ${places} places are your key's, whose share is ${fair}`;
  return account ? `${ofKey}; ${account.own} are your account's, whose share is ${account.fair}` : ofKey;
}

/** This instance has hardly any room left, and the key, or its account, has its share of it. */
export function crowdedOut(share: PlaceShare): GenerationFailure {
  const message = `The gateway has as much to do as it can (${told(share)}); please try again.`;
  return { code: 'overloaded', status: 503, message, retryAfterS: 1 };
}

/**
 * The answer is large, and so are those that are held already. It is not asked for again: the provider
 * charges for it.
 */
export function answersFull(): Outcome {
  return failed('overloaded', 503, 'The gateway holds as many large answers as it can; try again shortly.', 5);
}

/** The time that the request had is over. */
export function deadlinePassed(): Outcome {
  return failed('timeout', 504, 'The time limit of the request passed before the answer was complete.', null);
}

export function internalFault(): Outcome {
  return failed('internal', 500, 'The gateway failed; the request id finds the reason in its logs.', null);
}

/**
 * Every attempt failed. The last one speaks for all, in the provider's own words where they are not about us;
 * it is a timeout only when all of them were, and overloaded when every one of them said busy.
 */
export function providersFailed(attempts: readonly AttemptFailure[], last: AttemptFailure): Outcome {
  const { fault, code, retryAfterS, guardrail, status = 400, detail } = last.error;
  const message = detail === undefined || fault === 'ours' ? last.error.message : `${last.error.message}: ${detail}`;
  if (guardrail !== undefined)
    return { state: 'failed', failure: { code: 'refused', status: 400, message, retryAfterS: null, guardrail } };
  if (fault === 'caller') return failed('refused', status, message, null, last.error.details ?? reasonOf(code));
  if (attempts.every(({ error }) => error.code === closedByOperator))
    return failed('upstream', 503, `${message}.`, retryAfterS);
  const answered = last.status === null ? null : { status: last.status };
  if (attempts.every(({ timedOut }) => timedOut)) return failed('timeout', 504, message, retryAfterS);
  if (attempts.every((attempt) => saysBusy(attempt.status) && attempt.error.fault === 'retryable'))
    return failed('upstream', status === 429 ? 429 : 503, message, retryAfterS ?? 1, {
      ...last.error.details,
      ...answered,
    });
  return failed('upstream', 502, message, retryAfterS, answered);
}

/** Clients wait no longer than this for a Retry-After, and a person may give a key sooner. Seconds. */
const longestRestS = 60;

/**
 * All keys of every place rest for `restMs` more, 0: they do not. Who asks sooner would most likely hear the
 * same. The time of a provider that was asked (`asked`) is of one key, and counts no more than the others'.
 */
export function whileKeysRest(outcome: Outcome, restMs: number, asked: boolean): Outcome {
  if (restMs === 0 || outcome.state !== 'failed' || outcome.failure.code !== 'upstream') return outcome;
  const { failure } = outcome;
  const ofPlacesS = asked ? 0 : (failure.retryAfterS ?? 0);
  const retryAfterS = Math.max(ofPlacesS, Math.min(Math.ceil(restMs / 1_000), longestRestS));
  return { state: 'failed', failure: { ...failure, retryAfterS } };
}

/**
 * The call was stopped from outside. A passed deadline and a broken hop are failures; everything else is a
 * cancellation.
 */
export function stopped(reason: unknown): Outcome {
  const known = cancelReasons.find((candidate) => candidate === reason) ?? 'failed';
  if (known === 'deadline') return deadlinePassed();
  if (known === 'failed') return internalFault();
  const code = known === 'slow_reader' ? 'slow_reader' : 'cancelled';
  const failure: GenerationFailure = { code, status: 499, message: stopMessages[known], retryAfterS: null };
  return { state: 'cancelled', failure };
}

/**
 * True when a request failed by a fault of its providers or of ours: then the caller pays only for what
 * reached it. Who left pays, and so does whose answer a guardrail refused. `reason`: why the call was
 * stopped.
 */
export function failedWithoutCaller(outcome: Outcome, reason: unknown): boolean {
  if (outcome.state === 'failed') return outcome.failure.guardrail === undefined;
  return outcome.state === 'cancelled' && (reason === 'edge_lost' || reason === 'disconnected');
}

const stopMessages: Record<Exclude<CancelReason, 'deadline' | 'failed'>, string> = {
  caller_left: 'The caller left before the answer was complete.',
  key_revoked: 'The API key was revoked.',
  slow_reader: 'The answer was not read fast enough.',
  edge_lost: 'The way back to the caller was lost.',
  disconnected: 'The way back to the caller was lost.',
};

/** The provider's word for what is wrong, where it says more than that something is. */
function reasonOf(code: string): ErrorDetails | null {
  return /^[a-z]+(?:_[a-z]+)+$/.test(code) && code !== 'invalid_request_error' ? { reason: code } : null;
}

function failed(
  code: GenerationFailure['code'],
  status: number,
  message: string,
  retryAfterS: number | null,
  details: ErrorDetails | null = null,
): Outcome {
  return { state: 'failed', failure: { code, status, message, retryAfterS, ...(details && { details }) } };
}
