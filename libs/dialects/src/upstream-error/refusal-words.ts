import { redact } from './redact';

/** The words of a refusal of the caller's own request: the provider's, since programs look for them. `told`: its status or code, for one that has no words. */
export function refusalWords(providerName: string, told: string, text: string): string {
  return redact(text) || `${providerName} refused the request (${told})`;
}
