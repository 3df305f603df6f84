import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { FailureCause } from '@tollgate/contracts/metering';
import { useMemo } from 'react';
import { Link } from 'react-router';
import { fetchFailures } from '../api/reports';
import type { ReportScope } from '../api/reports';
import { withQuery } from '../api/client';
import { Badge } from '../design/badge';
import { Empty, Loaded } from '../design/states';
import { Table } from '../design/table';
import type { Column } from '../design/table';
import { formatCount } from '../format/number';
import { formatInstant, formatRelative } from '../format/time';
import { searchOf, windowOf } from '../usage/range';
import type { Range } from '../usage/range';
import { pollMs } from '../usage/use-series';
import { logOf, ModelLink, ProviderLink } from './links';

/** Which requests are looked at; what is absent restricts nothing. */
export interface Whose {
  accountId?: string | undefined;
  keyId?: string | undefined;
  model?: string | undefined;
  provider?: string | undefined;
}

/** Why requests failed: the causes, the most frequent first, each with the last such request. */
export function Failures({ scope, range, whose }: { scope: ReportScope; range: Range; whose: Whose }) {
  const { accountId, keyId, model, provider } = whose;
  const query = useQuery({
    queryKey: ['failures', scope, range.name, range.name === 'custom' && [range.from, range.to], whose],
    queryFn: ({ signal }) => {
      const { startAt, endAt } = windowOf(range, Date.now());
      return fetchFailures(scope, { startAt, endAt, accountId, keyId, model, provider }, signal);
    },
    refetchInterval: 2 * pollMs,
    placeholderData: keepPreviousData,
  });
  const columns = useMemo(() => columnsOf(scope, range, { accountId, keyId }), [scope, range, accountId, keyId]);
  return (
    <Loaded query={query} lines={6}>
      {({ causes, counted, isWhole }) =>
        causes.length === 0 ? (
          <Empty icon="check" title={isWhole ? 'No request failed' : 'None of the newest requests failed'}>
            {isWhole
              ? 'Choose a longer range to look further back.'
              : 'There are more than are looked at: choose a shorter range, a key or a model.'}
          </Empty>
        ) : (
          <Table
            label="Errors by cause"
            columns={columns}
            rows={causes}
            rowId={idOf}
            more={
              !isWhole && (
                <span className="muted">
                  {formatCount(counted)} failed among the newest requests of this range; older ones are not looked at.
                </span>
              )
            }
          />
        )
      }
    </Loaded>
  );
}

const idOf = ({ status, error, model, provider }: FailureCause): string => [status, error, model, provider].join(' ');

/** The log of the requests that failed for this cause; null: it has no filter for what has no error. */
function logOfCause(
  { status, error, model, provider }: FailureCause,
  scope: ReportScope,
  range: Range,
  whose: Pick<Whose, 'accountId' | 'keyId'>,
): string | null {
  if (error === null || provider === null) return null;
  return withQuery(logOf(scope), { ...whose, state: 'failed', status, error, model, provider, ...searchOf(range) });
}

const columnsOf = (
  scope: ReportScope,
  range: Range,
  whose: Pick<Whose, 'accountId' | 'keyId'>,
): Column<FailureCause>[] => [
  {
    header: 'Why',
    cell: ({ row: { original } }) => (
      <>
        <Badge tone="bad">{original.status}</Badge> <span>{wordsOf(original)}</span>
      </>
    ),
  },
  {
    header: 'Requests',
    meta: { end: true },
    cell: ({ row: { original } }) => {
      const log = logOfCause(original, scope, range, whose);
      const count = formatCount(original.count);
      return log === null ? count : <Link to={log}>{count}</Link>;
    },
  },
  { header: 'Keys', meta: { end: true, minor: true }, cell: ({ row }) => formatCount(row.original.keys) },
  { header: 'Model', cell: ({ row }) => <ModelLink model={row.original.model} /> },
  {
    header: 'Provider',
    meta: { minor: true },
    cell: ({ row: { original } }) => <ProviderLink request={original} scope={scope} />,
  },
  {
    header: 'The last was told',
    cell: ({ row: { original } }) => <span className="break">{original.last.reason ?? '–'}</span>,
  },
  {
    header: 'Last',
    meta: { end: true, whole: true },
    cell: ({ row: { original } }) => (
      <Link
        to={withQuery(logOf(scope), { show: 'failures', ...whose, ...searchOf(range), request: original.last.id })}
        title={formatInstant(original.last.at)}
      >
        {formatRelative(original.last.at)}
      </Link>
    ),
  },
];

/** An error is told by a word of the gateway's own. */
const wordsOf = ({ error, provider }: FailureCause): string =>
  error?.replaceAll('_', ' ') ?? (provider === null ? 'no provider was asked' : 'broke off');
