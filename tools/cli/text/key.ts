import type { KeySummary } from '@tollgate/contracts/accounts';
import { facts, table } from './table';
import { instant, limit, patterns } from './values';

/** Says whether a key works at `nowMs`, and if not, why. */
export function keyState(key: KeySummary, nowMs: number): string {
  if (key.keyStatus === 'revoked') return 'revoked';
  if (key.expiresAt !== null && key.expiresAt <= nowMs) return 'expired';
  return key.accountStatus === 'active' ? 'active' : `account ${key.accountStatus}`;
}

/** Keys as a table, one a line. */
export function keyTable(keys: readonly KeySummary[], nowMs: number): string {
  return table(
    ['id', 'name', 'key', 'account', 'project', 'plan', 'rpm', 'tpm', 'tokens/month', 'models', 'state', 'expires'],
    keys.map((key) => [
      key.id,
      key.name,
      key.display,
      key.accountName,
      key.project ?? '',
      key.plan,
      limit(key.rpm),
      limit(key.tpm),
      limit(key.quotaTokens),
      patterns(key.models),
      keyState(key, nowMs),
      instant(key.expiresAt),
    ]),
  );
}

/** Everything about one key, a fact a line. */
export function keyFacts(key: KeySummary, nowMs: number): string {
  return facts([
    ['id', key.id],
    ['name', key.name],
    ['account', `${key.accountName} (${key.accountId})`],
    ['plan', key.plan],
    ['requests a minute', limit(key.rpm)],
    ['tokens a minute', limit(key.tpm)],
    ['tokens a month', limit(key.quotaTokens)],
    ['models', patterns(key.models)],
    ...ownKeysFact(key),
    ...key.modelLimits.map(({ model, rpm, tpm }): [string, string] => [
      `${model}, a minute`,
      `${limit(rpm)} requests, ${limit(tpm)} tokens`,
    ]),
    ['cache', key.cacheTtlS === null ? 'only where asked' : `${key.cacheTtlS} s`],
    ['project', key.project ?? 'none'],
    ['tags', key.tags.join(', ') || 'only those of requests'],
    ['each request is told its charge', key.tellCost ? 'yes' : 'only where asked'],
    ['requests are logged', key.logContent ? 'yes, where the operator allows it' : 'no'],
    ['state', keyState(key, nowMs)],
    ['expires', instant(key.expiresAt)],
  ]);
}

const ownKeysFact = ({ ownKeyProviders }: KeySummary): [string, string][] =>
  ownKeyProviders ? [['goes with own keys of', ownKeyProviders.join(', ')]] : [];

/** A new key: the only time it can be read. */
export function newKey(apiKey: string, key: KeySummary, nowMs: number): string {
  return `Copy the key now: it is not stored and will not be shown again.\n\n  ${apiKey}\n\n${keyFacts(key, nowMs)}`;
}
