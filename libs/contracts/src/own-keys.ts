/** What an own key is sealed about: it opens for no other account, provider or address. */
export function aboutOwnKey(accountId: string, provider: string, baseUrl: string): string {
  return JSON.stringify(['tollgate own key', accountId, provider, baseUrl]);
}

/** What stands behind a provider's id in sums, where an account asked it with its own key. */
const ownKeyMark = ' (own key)';

/** A provider as sums name it, where an account asked it with its own key. */
export function ownKeyProvider(provider: string): string {
  return `${provider}${ownKeyMark}`;
}

/** Whether a provider of sums is one that was asked with own keys. */
export function isOwnKeyProvider(name: string): boolean {
  return name.endsWith(ownKeyMark);
}
