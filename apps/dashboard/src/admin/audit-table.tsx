import type { NamedAuditLine } from '@tollgate/contracts';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { Badge } from '../design/badge';
import { classes } from '../design/classes';
import { Table } from '../design/table';
import type { Column } from '../design/table';
import { formatInstant, formatLogTime } from '../format/time';
import styles from './admin.module.css';
import { auditChanges, inWords } from './audit-changes';

export function AuditTable({ lines, more }: { lines: NamedAuditLine[]; more: ReactNode }) {
  return <Table label="Audit log" columns={columns} rows={lines} rowId={({ id }) => id} more={more} />;
}

const columns: Column<NamedAuditLine>[] = [
  {
    header: 'Time',
    meta: { whole: true },
    cell: ({ row: { original } }) => <span title={formatInstant(original.at)}>{formatLogTime(original.at)}</span>,
  },
  { header: 'Who', cell: ({ row }) => <span className={classes('break', styles.who)}>{row.original.actor}</span> },
  { header: 'What', cell: ({ row }) => <Badge>{inWords(row.original.action)}</Badge> },
  {
    header: 'Account',
    cell: ({ row: { original } }) => (
      <Link to={`/admin/accounts/${encodeURIComponent(original.accountId)}`} className="break">
        {original.accountName ?? <code>{original.accountId}</code>}
      </Link>
    ),
  },
  {
    header: 'Key',
    cell: ({ row: { original } }) =>
      original.keyId === null ? (
        '–'
      ) : (
        <Link to={`/admin/keys/${encodeURIComponent(original.keyId)}`} className="break" title={original.keyId}>
          {original.keyName ?? <code>{original.keyId}</code>}
        </Link>
      ),
  },
  { header: 'Detail', cell: ({ row }) => <Changes detail={row.original.detail} /> },
];

function Changes({ detail }: Pick<NamedAuditLine, 'detail'>) {
  const changes = auditChanges(detail);
  if (changes.length === 0) return '–';
  return (
    <ul className={styles.changes}>
      {changes.map(({ name, before, after }) => (
        <li key={name}>
          <span className="muted">{name}:</span>{' '}
          {before !== undefined && (
            <>
              <del>{before}</del> <span aria-hidden="true">→</span>{' '}
            </>
          )}
          {after}
        </li>
      ))}
    </ul>
  );
}
