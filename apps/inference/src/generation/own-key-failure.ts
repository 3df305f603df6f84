import type { UpstreamError } from '@tollgate/dialects';
import type { GenerationFailure } from '@tollgate/contracts/inference';
import { isAboutKey } from '../health/key-rests';

/** What a status of a refused key becomes for who brought it; every other one is a 403. */
const toldStatuses = new Map<number, 401 | 404>([
  [401, 401],
  [404, 404],
]);

/**
 * What a provider refuses a key for that the caller's account brought is theirs to know, and to mend. What is
 * not about the key stays as it is. `said`: the provider's words behind a colon, without the key.
 */
export function asKeysOwnerHearsIt(
  error: UpstreamError,
  status: number,
  provider: string,
  said: string,
): UpstreamError {
  if (!isAboutKey({ error, status, timedOut: false })) return error;
  const isLimited = error.fault === 'retryable';
  const code = isLimited ? 'own_key_limited' : 'own_key_refused';
  const { detail: _, ...rest } = error;
  return {
    ...rest,
    fault: isLimited ? 'retryable' : 'caller',
    code,
    message: `${provider} ${isLimited ? 'limits' : 'refused'} the key that your account brought for it (${status})${said}`,
    status: isLimited ? 429 : (toldStatuses.get(status) ?? 403),
    details: { ...error.details, reason: code },
  };
}

/** Nothing was asked: no key of the operator's goes in the place of one that an account brought. */
export function ownKeyUnusable(provider: string): GenerationFailure {
  const message = `The key that your account brought for ${provider} cannot be used: it was sealed for another address of the provider, or under a key-encryption key that this gateway has no more. An owner of the account has to give it again, or remove it.`;
  return refusedFor(message);
}

/** To try again would not help: the provider is not asked here, and no other in its place. */
export function noPlaceForOwnKey(model: string, providers: readonly string[]): GenerationFailure {
  const message = `Your account brought its own key for ${providers.join(', ')}, so this request for ${model} goes nowhere else; but it cannot be asked there: this gateway does not reach the provider, takes no keys of accounts for it, answers for it in its sandbox, or cannot ask it at this endpoint. Ask for another model, or have an owner of the account remove the key: then the gateway's own are used, where it has one.`;
  return refusedFor(message);
}

function refusedFor(message: string): GenerationFailure {
  return { code: 'refused', status: 403, message, retryAfterS: null, details: { reason: 'own_key_refused' } };
}
