import type { SeriesCounters } from '@tollgate/contracts/metering';
import type { ReactNode } from 'react';
import { formatMoney } from '../format/money';
import { formatCompact, formatCount, formatShare, formatRate } from '../format/number';
import { formatDuration } from '../format/time';
import { cacheShare } from './cache-saving';
import styles from './usage.module.css';

/**
 * The sums of a time, each with what stands behind it. Requests are those that `GET /api/metrics` counts:
 * answers of the response cache stand beside them. `refused`: requests that no provider was asked for;
 * undefined: not known. `unconfirmed`: some of the cost rests on prices on which sources disagree.
 * `savedNanoUsd`: about what answers of the cache would have cost; null: not known.
 */
export function Tiles({
  totals,
  refused,
  unconfirmed,
  savedNanoUsd,
}: {
  totals: SeriesCounters;
  refused: number | undefined;
  unconfirmed: boolean;
  savedNanoUsd: bigint | null;
}) {
  const { cachedRequests, failed, cancelled, inputTokens, outputTokens, unpricedRequests } = totals;
  const { latency, firstToken, tokensPerSecond } = totals;
  const requests = totals.requests - cachedRequests;
  const fromCache =
    cachedRequests > 0
      ? `, ${formatCount(cachedRequests)} more from the cache (${formatShare(cacheShare(totals), 1)} of all answers)`
      : '';
  return (
    <dl className={styles.tiles}>
      <Tile name="Requests" value={formatCompact(requests)} exact={formatCount(requests)}>
        {formatCount(cancelled)} cancelled{fromCache}
      </Tile>
      <Tile
        name="Tokens"
        value={formatCompact(inputTokens + outputTokens)}
        exact={formatCount(inputTokens + outputTokens)}
      >
        {formatCompact(inputTokens)} in, {formatCompact(outputTokens)} out
      </Tile>
      <Tile name="Cost" value={formatMoney(totals.costNanoUsd)}>
        {unpricedRequests ? `without ${formatCount(unpricedRequests)} unpriced requests` : 'every request priced'}
        {unconfirmed && ', some at unconfirmed prices'}
        {savedNanoUsd !== null && `, about ${formatMoney(savedNanoUsd.toString())} saved by the cache`}
      </Tile>
      <Tile name="Errors" value={formatShare(failed, requests)}>
        {formatCount(failed)} failed{refused ? `, ${formatCount(refused)} more refused before` : ''}
      </Tile>
      <Tile name="Latency" value={latency ? formatDuration(latency.p50) : '–'}>
        {latency ? `p90 ${formatDuration(latency.p90)}, p99 ${formatDuration(latency.p99)}` : 'nothing measured'}
      </Tile>
      <Tile name="First token" value={firstToken ? formatDuration(firstToken.p50) : '–'}>
        {firstToken
          ? `p90 ${formatDuration(firstToken.p90)}, p99 ${formatDuration(firstToken.p99)}`
          : 'nothing measured'}
        {tokensPerSecond !== null && `, then ${formatRate(tokensPerSecond)} tokens/s`}
      </Tile>
    </dl>
  );
}

function Tile({ name, value, exact, children }: { name: string; value: string; exact?: string; children: ReactNode }) {
  return (
    <div className={styles.tile}>
      <dt>{name}</dt>
      <dd className={styles.value} title={exact}>
        {value}
      </dd>
      <dd className={styles.behind}>{children}</dd>
    </div>
  );
}
