import { useQuery } from '@tanstack/react-query';
import { slicesAndRest, windowDimensions } from '@tollgate/contracts/metering';
import type { Slice, SlicedWindow, WindowDimension } from '@tollgate/contracts/metering';
import { exportAddress, fetchSlices } from '../api/reports';
import type { SlicesQuery } from '../api/reports';
import { useSearch } from '../app/use-search';
import { Card } from '../design/card';
import { Choice } from '../design/choice';
import { Empty, Loaded } from '../design/states';
import { Table } from '../design/table';
import { useWasNear } from '../design/use-was-near';
import type { Column } from '../design/table';
import { formatMoney } from '../format/money';
import { formatCompact, formatCount } from '../format/number';
import { formatWindow } from '../format/time';
import { ExportMenu } from './export-menu';
import { slicePath } from './line-path';
import { LinkedName } from './linked-name';
import { windowOf } from './range';
import type { Range } from './range';
import styles from './usage.module.css';
import type { UsageFilter } from './use-series';

const names: Record<WindowDimension, string> = {
  end_user: 'End user',
  session: 'Session',
  agent: 'Agent',
  tag: 'Tag',
  project: 'Project',
};
const hints: Record<WindowDimension, string> = {
  end_user: 'A request names it as user, safety_identifier or metadata.user_id.',
  session: 'Agents name it in a header, others may as x-session-id.',
  agent: 'Claude Code, Codex, opencode and a few others are known by their user agent.',
  tag: 'A request carries tags in its header x-tollgate-tags.',
  project: 'A key is given one when it is made, or later: tollgate keys project.',
};
/** The sums that it is read from are by the hour. */
const refetchMs = 60_000;
/** Slices that are shown. */
const most = 20;

/**
 * Who spent what an account used, in the whole hours around a range. What it is divided by stands in the
 * address.
 */
export function Slices({ range, filter }: { range: Range; filter: UsageFilter }) {
  const { scope } = filter;
  const [search, change] = useSearch();
  // A key is of one project.
  const dimensions = windowDimensions.filter((known) => known !== 'project' || filter.keyId === undefined);
  const dimension = dimensions.find((known) => known === search.get('who')) ?? 'end_user';
  const [place, wasNear] = useWasNear();
  const slices = useQuery({
    queryKey: ['slices', filter, range.name, range.name === 'custom' && [range.from, range.to], dimension],
    queryFn: ({ signal }) => fetchSlices(scope, { ...queryOf(range, filter, dimension), most }, signal),
    enabled: wasNear,
    refetchInterval: refetchMs,
    // Names of one kind are not shown as if they were of another.
    placeholderData: (former, query) => (query?.queryKey.at(-1) === dimension ? former : undefined),
  });
  return (
    <Card
      title="Who spent it"
      hint={hintOf(dimension, slices.data)}
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
            addressOf={(format) => exportAddress('slices', format, scope, queryOf(range, filter, dimension))}
          />
        </div>
      }
      flush
    >
      <div ref={place} className={styles.later}>
        {wasNear && (
          <Loaded query={slices} inPlace>
            {(told) => (
              <Rows told={told} dimension={dimension} pathOf={(name) => slicePath(dimension, name, filter, range)} />
            )}
          </Loaded>
        )}
      </div>
    </Card>
  );
}

function queryOf(range: Range, { accountId, keyId, model }: UsageFilter, dimension: WindowDimension): SlicesQuery {
  const { startAt, endAt } = windowOf(range, Date.now());
  return { startAt, endAt, accountId, keyId, model, dimension };
}

/** `told` undefined: it is not there yet. */
function hintOf(dimension: WindowDimension, told: SlicedWindow | undefined): string {
  const window = told ? [`Whole hours: ${formatWindow(told.startAt, told.endAt)}.`] : [];
  return [...window, ...(dimension === 'tag' ? ['A request with several tags counts in each.'] : [])].join(' ');
}

function Rows({
  told,
  dimension,
  pathOf,
}: {
  told: SlicedWindow;
  dimension: WindowDimension;
  pathOf: (name: string) => string | null;
}) {
  if (told.slices.length === 0 && told.other.requests === 0)
    return (
      <Empty icon="activity" title={emptyTitle(dimension)}>
        {hints[dimension]}
      </Empty>
    );
  return (
    <Table
      label="Who spent it"
      columns={columnsOf(names[dimension], pathOf)}
      rows={slicesAndRest(told)}
      rowId={(slice) => slice.name}
    />
  );
}

function emptyTitle(dimension: WindowDimension): string {
  return dimension === 'project'
    ? 'No key of a project was used'
    : `No request said its ${names[dimension].toLowerCase()}`;
}

const columnsOf = (header: string, pathOf: (name: string) => string | null): Column<Slice>[] => [
  {
    header,
    cell: ({
      row: {
        original: { name },
      },
    }) => <LinkedName to={pathOf(name)}>{name}</LinkedName>,
  },
  { header: 'Requests', cell: ({ row }) => formatCount(row.original.requests), meta: { end: true } },
  {
    header: 'Tokens',
    cell: ({ row: { original } }) => formatCompact(original.inputTokens + original.outputTokens),
    meta: { end: true },
  },
  { header: 'Cost', cell: ({ row }) => formatMoney(row.original.costNanoUsd), meta: { end: true } },
];
