import type { Stack } from '../../stack/stack';
import { audit } from './audit';
import { LimitedClient } from './limited-client';
import { burst, polite } from './traffic';

/** How keys with a limit of tokens a minute fared: the most of any window of any key, and sums of the rest. */
export interface TokenFigures {
  keys: number;
  limit: number;
  mostInWindow: number;
  admitted: number;
  refused: number;
  /** Requests that were sent after exactly Retry-After, and those of them that were admitted. */
  waited: number;
  waitedAdmitted: number;
  holds: boolean;
}

const keys = 12;
/** Enough for some dozens of the requests that are sent. */
const limit = 600;
/** So many are sent at once, or one after the other before the first may be refused. */
const requests = 60;

/** Who will ask, each with a key of their own: made one after the other, before anybody asks. */
export async function tokenClients(stack: Stack): Promise<LimitedClient[]> {
  const clients: LimitedClient[] = [];
  const limits = { rpm: null, quotaTokens: null, tpm: limit };
  for (let made = 0; made < keys; made++) {
    const { apiKey } = await stack.createKey({ name: 'tokens', plan: 'enterprise', ...limits });
    clients.push(new LimitedClient(stack.baseUrls, apiKey, true));
  }
  return clients;
}

/**
 * Half of the keys go on as soon as they may, half send more at once than there is room for. No 60 seconds
 * see more tokens than the limit; a proof in which nothing was refused shows nothing.
 */
export async function proveTokens(clients: readonly LimitedClient[], endsAt: number): Promise<TokenFigures> {
  const audits = await Promise.all(
    clients.map(async (client, index) => {
      await (index % 2 === 0 ? polite : burst)(client, requests, endsAt);
      await client.finish();
      const refused = client.visits.filter(({ status }) => status === 429).length;
      return { ...audit(client.visits, Infinity), refused };
    }),
  );
  const sum = (field: 'admitted' | 'refused' | 'waited' | 'waitedAdmitted' | 'strange') =>
    audits.reduce((total, one) => total + one[field], 0);
  const counts = { admitted: sum('admitted'), refused: sum('refused') };
  const [waited, waitedAdmitted] = [sum('waited'), sum('waitedAdmitted')];
  const mostInWindow = Math.max(...audits.map(({ mostTokensInWindow }) => mostTokensInWindow));
  const isWithin = mostInWindow > 0 && mostInWindow <= limit;
  const holds = isWithin && counts.refused > 0 && waitedAdmitted >= waited * 0.999 && sum('strange') === 0;
  return { keys, limit, mostInWindow, ...counts, waited, waitedAdmitted, holds };
}
