import type { UsageEvent } from '@tollgate/contracts';
import { formatCount } from '../format/number';

/**
 * What was set aside of the key's quota before a request began, what it used, and what was given back, or
 * taken on top where the estimate was too low. Without a lease and an amount nothing was set aside; with a
 * lease alone it is not known how much.
 */
export function quotaFacts({
  lease,
  reserved,
  usage,
}: Pick<UsageEvent, 'lease' | 'reserved' | 'usage'>): [string, string][] {
  if (reserved === undefined) return lease === null ? [] : [['Reserved', 'an amount that was not kept']];
  const used = usage.input + usage.output;
  const tokens = (count: number): string => `${formatCount(count)} ${count === 1 ? 'token' : 'tokens'}`;
  return [
    ['Reserved', `${tokens(reserved)}${lease === null ? ', while the ledger was away' : ''}`],
    ['Used', tokens(used)],
    reserved >= used ? ['Released', tokens(reserved - used)] : ['Taken on top', tokens(used - reserved)],
  ];
}
