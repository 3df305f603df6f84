import type { Series, SeriesLine } from '@tollgate/contracts/metering';
import { Badge } from '../design/badge';
import { Empty } from '../design/states';
import { Table } from '../design/table';
import type { Column } from '../design/table';
import { formatMoney, unpricedWords } from '../format/money';
import { formatCompact, formatCount, formatShare, formatRate } from '../format/number';
import { formatDuration } from '../format/time';
import { LinkedName } from './linked-name';
import { UnconfirmedPrice, usePriceDoubts } from '../models/price-doubts';

const columnsOf = (
  nameOf: (line: string) => string,
  pathOf: (line: string) => string | null,
  doubts: ReturnType<typeof usePriceDoubts>,
): Column<SeriesLine>[] => [
  {
    header: 'Name',
    accessorFn: ({ name }) => nameOf(name),
    cell: ({
      row: {
        original: { name },
      },
    }) => <LinkedName to={pathOf(name)}>{nameOf(name)}</LinkedName>,
    enableSorting: true,
    sortDescFirst: false,
  },
  {
    header: 'Requests',
    accessorFn: ({ totals }) => totals.requests,
    cell: ({ row }) => formatCount(row.original.totals.requests),
    enableSorting: true,
    meta: { end: true },
  },
  {
    header: 'Tokens',
    accessorFn: ({ totals }) => totals.inputTokens + totals.outputTokens,
    cell: ({ row: { original } }) => formatCompact(original.totals.inputTokens + original.totals.outputTokens),
    enableSorting: true,
    meta: { end: true },
  },
  {
    header: 'Cost',
    accessorFn: ({ totals }) => Number(totals.costNanoUsd),
    cell: ({ row: { original } }) => {
      const doubt = doubts.get(original.name);
      const unpriced = unpricedWords(original.totals);
      return (
        <>
          {doubt?.oldSince && <Badge tone="warn">{`prices of ${doubt.oldSince}`}</Badge>}{' '}
          <UnconfirmedPrice pricing={doubt} /> {unpriced && <Badge tone="warn">{unpriced}</Badge>}{' '}
          {unpriced !== 'unpriced' && formatMoney(original.totals.costNanoUsd)}
        </>
      );
    },
    enableSorting: true,
    meta: { end: true },
  },
  {
    header: 'Errors',
    accessorFn: ({ totals }) => totals.failed / (totals.requests || 1),
    cell: ({ row }) => formatShare(row.original.totals.failed, row.original.totals.requests),
    enableSorting: true,
    meta: { end: true },
  },
  {
    header: 'Latency p50',
    accessorFn: ({ totals }) => totals.latency?.p50 ?? -1,
    cell: ({ row: { original } }) => (original.totals.latency ? formatDuration(original.totals.latency.p50) : '–'),
    enableSorting: true,
    meta: { end: true },
  },
  {
    header: 'First token p50',
    accessorFn: ({ totals }) => totals.firstToken?.p50 ?? -1,
    cell: ({ row: { original } }) =>
      original.totals.firstToken ? formatDuration(original.totals.firstToken.p50) : '–',
    enableSorting: true,
    meta: { end: true },
  },
  {
    header: 'Tokens/s',
    accessorFn: ({ totals }) => totals.tokensPerSecond ?? -1,
    cell: ({ row: { original } }) =>
      original.totals.tokensPerSecond === null ? '–' : formatRate(original.totals.tokensPerSecond),
    enableSorting: true,
    meta: { end: true },
  },
];

/**
 * What a total is made of. Where it is divided by model, prices that are old or unconfirmed are marked, and
 * everywhere requests without a price.
 */
export function Breakdown({
  series,
  label,
  nameOf,
  pathOf,
}: {
  series: Series;
  label: string;
  nameOf: (line: string) => string;
  pathOf: (line: string) => string | null;
}) {
  const doubts = usePriceDoubts();
  if (!series.lines.length)
    return (
      <Empty icon="activity" title="No requests in this time">
        Choose a longer range, or send a request.
      </Empty>
    );
  return (
    <Table label={label} columns={columnsOf(nameOf, pathOf, doubts)} rows={series.lines} rowId={({ name }) => name} />
  );
}
