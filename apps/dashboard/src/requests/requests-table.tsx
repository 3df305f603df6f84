import type { NamedRequest, RequestOrder } from '@tollgate/contracts/metering';
import { useMemo } from 'react';
import type { ReactNode } from 'react';
import type { ReportScope } from '../api/reports';
import { Table } from '../design/table';
import type { Column } from '../design/table';
import { formatMoney } from '../format/money';
import { formatCount } from '../format/number';
import { formatDuration, formatInstant, formatLogTime } from '../format/time';
import { UnconfirmedPrice, usePriceDoubts } from '../models/price-doubts';
import { AccountLink, KeyLink, ModelLink } from './links';
import { providerNameOf } from './names';
import { RequestBadge } from './request-badge';
import styles from './requests.module.css';

export function RequestsTable({
  requests,
  scope,
  orderedBy,
  onOpen,
  more,
}: {
  requests: NamedRequest[];
  scope: ReportScope;
  orderedBy: RequestOrder;
  onOpen: (request: NamedRequest) => void;
  more: ReactNode;
}) {
  const columns = useMemo(() => [timeColumn(orderedBy, onOpen), ...columnsOf(scope)], [orderedBy, scope, onOpen]);
  return (
    <Table label="Requests" columns={columns} rows={requests} rowId={({ id }) => id} onOpen={onOpen} more={more} />
  );
}

function Cost({ request: { costNanoUsd, model } }: { request: NamedRequest }) {
  const doubt = usePriceDoubts().get(model);
  if (costNanoUsd === null) return 'Unpriced';
  return (
    <span className={styles.cost}>
      {formatMoney(costNanoUsd)} <UnconfirmedPrice pricing={doubt} />
    </span>
  );
}

/** The time that the log is sorted by. */
const timeColumn = (orderedBy: RequestOrder, onOpen: (request: NamedRequest) => void): Column<NamedRequest> => ({
  header: orderedBy === 'startedAt' ? 'Began' : 'Ended',
  cell: ({ row: { original } }) => (
    <button
      type="button"
      className={styles.open}
      title={`Began ${formatInstant(original.startedAt)}, ended ${formatInstant(original.endedAt)}`}
      onClick={() => onOpen(original)}
    >
      {formatLogTime(original[orderedBy])}
    </button>
  ),
});

const columnsOf = (scope: ReportScope): Column<NamedRequest>[] => [
  { header: 'State', cell: ({ row }) => <RequestBadge request={row.original} /> },
  ...(scope === 'fleet'
    ? [{ header: 'Account', cell: ({ row }) => <AccountLink request={row.original} /> } satisfies Column<NamedRequest>]
    : []),
  { header: 'Key', cell: ({ row }) => <KeyLink request={row.original} scope={scope} /> },
  {
    header: 'Model',
    cell: ({ row: { original } }) => (
      <span className={styles.deployment}>
        <ModelLink model={original.model} />
        <span className="muted small">{original.provider ? providerNameOf(original.provider) : 'no provider'}</span>
      </span>
    ),
  },
  {
    header: 'Input',
    meta: { end: true, minor: true },
    cell: ({ row }) => formatCount(row.original.usage.input),
  },
  {
    header: 'Output',
    meta: { end: true },
    cell: ({ row }) => formatCount(row.original.usage.output),
  },
  {
    header: 'Cost',
    meta: { end: true },
    cell: ({ row: { original } }) => <Cost request={original} />,
  },
  {
    header: 'First token',
    meta: { end: true, minor: true },
    cell: ({ row: { original } }) =>
      original.firstTokenAt === null ? '–' : formatDuration(original.firstTokenAt - original.startedAt),
  },
  {
    header: 'Total',
    meta: { end: true },
    cell: ({ row: { original } }) => formatDuration(original.endedAt - original.startedAt),
  },
];
