import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { NamedRefusal } from '@tollgate/contracts/metering';
import { useMemo } from 'react';
import { fetchRefusals } from '../api/reports';
import type { ReportScope } from '../api/reports';
import { Badge } from '../design/badge';
import { Empty, Loaded } from '../design/states';
import { Table } from '../design/table';
import type { Column } from '../design/table';
import { formatCount } from '../format/number';
import { formatInstant, formatLogTime } from '../format/time';
import { windowOf } from '../usage/range';
import type { Range } from '../usage/range';
import { pollMs } from '../usage/use-series';
import { AccountLink, KeyLink } from './links';

interface Whose {
  accountId?: string | undefined;
  keyId?: string | undefined;
}

/** What the gateway refused by itself. It follows the clock while somebody looks at it. */
export function useRefusals(scope: ReportScope, range: Range, { accountId, keyId }: Whose, enabled = true) {
  return useQuery({
    queryKey: ['refusals', scope, range.name, range.name === 'custom' && [range.from, range.to], accountId, keyId],
    queryFn: ({ signal }) => {
      const { startAt, endAt } = windowOf(range, Date.now());
      return fetchRefusals(scope, { startAt, endAt, accountId, keyId }, signal);
    },
    enabled,
    refetchInterval: pollMs,
    placeholderData: keepPreviousData,
  });
}

/**
 * The causes for which requests were refused before a provider was asked, each with the last such request.
 */
export function Refusals({ scope, range, whose }: { scope: ReportScope; range: Range; whose: Whose }) {
  const query = useRefusals(scope, range, whose);
  const columns = useMemo(() => columnsOf(scope), [scope]);
  return (
    <Loaded query={query} lines={6}>
      {({ causes }) =>
        causes.length === 0 ? (
          <Empty icon="list" title="Nothing was refused">
            Every request of this time went on to a provider.
          </Empty>
        ) : (
          <Table label="Refused requests" columns={columns} rows={causes} rowId={idOf} />
        )
      }
    </Loaded>
  );
}

const idOf = ({ status, reason, keyId }: NamedRefusal): string => `${status} ${reason} ${keyId ?? ''}`;

const columnsOf = (scope: ReportScope): Column<NamedRefusal>[] => [
  {
    header: 'Why',
    cell: ({ row: { original } }) => (
      <>
        <Badge tone="warn">{original.status}</Badge> <span>{original.reason.replaceAll('_', ' ')}</span>
      </>
    ),
  },
  { header: 'Requests', meta: { end: true }, cell: ({ row }) => formatCount(row.original.count) },
  ...(scope === 'fleet' ? [accountColumn] : []),
  {
    header: 'Key',
    cell: ({ row: { original } }) =>
      original.keyId === null ? (
        'None that works'
      ) : (
        <KeyLink request={{ keyId: original.keyId, keyName: original.keyName }} scope={scope} />
      ),
  },
  {
    header: 'The last was told',
    cell: ({ row: { original } }) => <span className="break">{original.last.message}</span>,
  },
  {
    header: 'Asked for',
    meta: { minor: true },
    cell: ({ row: { original } }) => <span className="break">{original.last.model ?? original.last.path}</span>,
  },
  {
    header: 'Last',
    meta: { end: true, whole: true },
    cell: ({ row: { original } }) => (
      <time title={`${formatInstant(original.last.at)}, request ${original.last.requestId}`}>
        {formatLogTime(original.last.at)}
      </time>
    ),
  },
];

const accountColumn: Column<NamedRefusal> = {
  header: 'Account',
  cell: ({
    row: {
      original: { accountId, accountName },
    },
  }) => (accountId === null ? '–' : <AccountLink request={{ accountId, accountName }} />),
};
