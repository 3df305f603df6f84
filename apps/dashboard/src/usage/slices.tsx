import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { SliceDimension, SlicedWindow } from '@tollgate/contracts';
import { exportAddress, fetchSlices } from '../api/reports';
import type { SlicesQuery } from '../api/reports';
import { useSearch } from '../app/use-search';
import { Card } from '../design/card';
import { Choice } from '../design/choice';
import { Empty, Loaded } from '../design/states';
import { Table } from '../design/table';
import type { Column } from '../design/table';
import { formatMoney } from '../format/money';
import { formatCompact, formatCount } from '../format/number';
import { ExportMenu } from './export-menu';
import { windowOf } from './range';
import type { Range } from './range';
import styles from './usage.module.css';
import { pollMs } from './use-series';
import type { UsageFilter } from './use-series';

const names: Record<SliceDimension, string> = {
  end_user: 'End user',
  session: 'Session',
  agent: 'Agent',
  tag: 'Tag',
};
const hints: Record<SliceDimension, string> = {
  end_user: 'A request names it as user, safety_identifier or metadata.user_id.',
  session: 'Agents name it in a header, others may as x-session-id.',
  agent: 'Claude Code, Codex, opencode and a few others are known by their user agent.',
  tag: 'A request carries tags in its header x-tollgate-tags.',
};
const dimensions = ['end_user', 'session', 'agent', 'tag'] as const;
/** Slices that are shown. */
const most = 20;

type Slice = SlicedWindow['slices'][number];

/**
 * Who spent what an account used, in the whole hours around a range. What it is divided by stands in the
 * address.
 */
export function Slices({ range, filter: { scope, accountId } }: { range: Range; filter: UsageFilter }) {
  const [search, change] = useSearch();
  const dimension = dimensions.find((known) => known === search.get('who')) ?? 'end_user';
  const queryOf = (): SlicesQuery => {
    const { startAt, endAt } = windowOf(range, Date.now());
    return { startAt, endAt, accountId, dimension };
  };
  const slices = useQuery({
    queryKey: ['slices', scope, accountId, range.name, range.name === 'custom' && [range.from, range.to], dimension],
    queryFn: ({ signal }) => fetchSlices(scope, { ...queryOf(), most }, signal),
    refetchInterval: pollMs,
    placeholderData: keepPreviousData,
  });
  return (
    <Card
      title="Who spent it"
      hint={dimension === 'tag' ? 'A request with several tags counts in each.' : undefined}
      actions={
        <div className={styles.toolbarEnd}>
          <Choice
            label="Who spent it, by"
            options={dimensions.map((known) => [known, names[known]] as const)}
            value={dimension}
            onChange={(who) => change({ who: who === 'end_user' ? null : who })}
          />
          <ExportMenu
            size="small"
            label="Download"
            addressOf={(format) => exportAddress('slices', format, scope, queryOf())}
          />
        </div>
      }
      flush
    >
      <Loaded query={slices}>{(told) => <Rows told={told} dimension={dimension} />}</Loaded>
    </Card>
  );
}

function Rows({ told: { slices, other, none }, dimension }: { told: SlicedWindow; dimension: SliceDimension }) {
  if (slices.length === 0 && other.requests === 0)
    return (
      <Empty icon="activity" title={`No request said its ${names[dimension].toLowerCase()}`}>
        {hints[dimension]}
      </Empty>
    );
  const rest = [
    { ...other, name: '(other)' },
    { ...none, name: '(none)' },
  ];
  const rows = [...slices, ...rest.filter(({ requests }) => requests > 0)];
  return <Table label="Who spent it" columns={columnsOf(names[dimension])} rows={rows} rowId={(slice) => slice.name} />;
}

const columnsOf = (name: string): Column<Slice>[] => [
  { header: name, cell: ({ row }) => <span className="break">{row.original.name}</span> },
  { header: 'Requests', cell: ({ row }) => formatCount(row.original.requests), meta: { end: true } },
  {
    header: 'Tokens',
    cell: ({ row: { original } }) => formatCompact(original.inputTokens + original.outputTokens),
    meta: { end: true },
  },
  { header: 'Cost', cell: ({ row }) => formatMoney(row.original.costNanoUsd), meta: { end: true } },
];
