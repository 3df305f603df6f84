import type { UpstreamError } from '../provider-dialect';
import { codeOf } from './fault';
import { redact } from './redact';

/**
 * What is known of a failure. `told`: its status or code, where no words are told. `text`: the provider's
 * words.
 */
interface Failure extends Pick<UpstreamError, 'fault' | 'code'> {
  told: string;
  text: string;
}

/**
 * The words of a refusal of the caller's own request: the provider's, since programs look for them. `told`:
 * its status or code, for one that has no words.
 */
export function refusalWords(providerName: string, told: string, text: string): string {
  return redact(text) || `${providerName} refused the request (${told})`;
}

/**
 * A failure as it is told on. Only for the caller's own faults does the message carry the provider's text.
 */
export function failure(
  providerName: string,
  { fault, code, told, text, retryAfterS }: Failure & Pick<UpstreamError, 'retryAfterS'>,
): UpstreamError {
  if (fault !== 'caller') return { fault, code, message: `${providerName} failed (${told})`, retryAfterS };
  return { fault, code: codeOf(code, fault, text), message: refusalWords(providerName, told, text), retryAfterS };
}

/** The same of one that came inside an answer with status 200. */
export function failureInAnswer(providerName: string, { fault, code, told, text }: Failure): UpstreamError {
  const isCallers = fault === 'caller';
  const ours = `${providerName} failed while answering (${told})`;
  return { fault, code, message: isCallers ? refusalWords(providerName, told, text) : ours, retryAfterS: null };
}
