import { useQuery } from '@tanstack/react-query';
import { monthStartMs } from '@tollgate/contracts';
import { useState } from 'react';
import { fetchSeries } from '../api/reports';
import { formatMoney } from '../format/money';
import { changeOf, monthSpendOf } from './month-spend';
import { monthInWords } from './months';
import styles from './usage.module.css';
import type { UsageFilter } from './use-series';

/** Sums of days change slowly. */
const pollMs = 60_000;

/** What this month of the calendar (UTC) has cost, how it will end at this pace, and the month before. */
export function MonthCard({ filter }: { filter: Pick<UsageFilter, 'scope' | 'accountId'> }) {
  const [openedAt] = useState(Date.now);
  const { scope, ...whose } = filter;
  const { data, dataUpdatedAt } = useQuery({
    queryKey: ['month', filter],
    queryFn: ({ signal }) => {
      const now = Date.now();
      const window = { startAt: monthStartMs(now, -1), endAt: now, step: 'day', timeZone: 'UTC' } as const;
      return fetchSeries(scope, { ...window, ...whose, groupBy: 'none', maxLines: 1 }, signal);
    },
    refetchInterval: pollMs,
  });
  const spend = data && monthSpendOf(data, dataUpdatedAt);
  const change = spend ? changeOf(spend) : null;
  const [month, before] = [0, -1].map((later) => monthInWords(monthText(openedAt, later)));
  return (
    <dl className={styles.month}>
      <div className={styles.tile}>
        <dt>{month} so far</dt>
        <dd className={styles.value}>{spend ? formatMoney(spend.soFar.toString()) : '–'}</dd>
        <dd className={styles.behind}>Months are those of UTC, as on statements.</dd>
      </div>
      <div className={styles.tile}>
        <dt>By its end, at this pace</dt>
        <dd className={styles.value}>{spend?.atThisPace != null ? formatMoney(spend.atThisPace.toString()) : '–'}</dd>
        <dd className={styles.behind}>{change === null ? 'Nothing to compare it with' : changeWords(change)}</dd>
      </div>
      <div className={styles.tile}>
        <dt>{before}</dt>
        <dd className={styles.value}>{spend ? formatMoney(spend.before.toString()) : '–'}</dd>
        <dd className={styles.behind}>The whole month</dd>
      </div>
    </dl>
  );
}

const monthText = (at: number, later: number) => new Date(monthStartMs(at, later)).toISOString().slice(0, 7);

const share = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 });

function changeWords(change: number): string {
  if (change === 0) return 'As much as the month before';
  return `${share.format(Math.abs(change))} ${change > 0 ? 'more' : 'less'} than the month before`;
}
