import { lookupPublic, outgoingAddress } from '@tollgate/service';

/** What names the hosts that the operator trusts. */
const variable = 'WEBHOOK_PRIVATE_HOSTS';

/** Resolves hosts of webhooks that are not trusted. */
export const lookupWebhook = lookupPublic(variable);

/**
 * The address of a webhook: https, of the internet, or of one of `privateHosts`.
 * @throws Error with words for whoever gave it.
 */
export function webhookAddress(given: string, privateHosts: readonly string[]): URL {
  return outgoingAddress(given, privateHosts, variable);
}

/** @throws Error with words for whoever gave it. */
export function mailAddress(given: string): string {
  const [, address] = /^mailto:([^\s@?,;<>]+@[^\s@?,;<>]+\.[^\s@?,;<>]+)$/i.exec(given) ?? [];
  if (address === undefined) throw new Error('must be mailto: and one address, such as mailto:ops@example.org');
  return address;
}
