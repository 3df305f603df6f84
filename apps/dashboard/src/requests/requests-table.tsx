import type { LoggedRequest } from '@tollgate/contracts';
import { useMemo } from 'react';
import type { ReactNode } from 'react';
import { Table } from '../design/table';
import type { Column } from '../design/table';
import { formatMoney } from '../format/money';
import { formatCount } from '../format/number';
import { formatDuration, formatInstant, formatLogTime } from '../format/time';
import { providerNameOf } from './provider-name';
import { RequestBadge } from './request-badge';
import styles from './requests.module.css';

export function RequestsTable({
  requests,
  onOpen,
  more,
}: {
  requests: LoggedRequest[];
  onOpen: (request: LoggedRequest) => void;
  more: ReactNode;
}) {
  const columns = useMemo(() => columnsOf(onOpen), [onOpen]);
  return (
    <Table label="Requests" columns={columns} rows={requests} rowId={({ id }) => id} onOpen={onOpen} more={more} />
  );
}

const columnsOf = (onOpen: (request: LoggedRequest) => void): Column<LoggedRequest>[] => [
  {
    header: 'Time',
    cell: ({ row: { original } }) => (
      <button
        type="button"
        className={styles.open}
        title={formatInstant(original.startedAt)}
        onClick={() => onOpen(original)}
      >
        {formatLogTime(original.startedAt)}
      </button>
    ),
  },
  { header: 'State', cell: ({ row }) => <RequestBadge request={row.original} /> },
  { header: 'Model', cell: ({ row }) => <span className="break">{row.original.model}</span> },
  {
    header: 'Provider',
    meta: { minor: true },
    cell: ({ row }) => (row.original.provider ? providerNameOf(row.original.provider) : '–'),
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
    cell: ({ row: { original } }) => (original.costNanoUsd === null ? 'Unpriced' : formatMoney(original.costNanoUsd)),
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
