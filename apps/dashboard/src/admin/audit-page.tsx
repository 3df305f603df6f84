import { useInfiniteQuery } from '@tanstack/react-query';
import type { NamedAuditLine } from '@tollgate/contracts/accounts';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { auditExportAddress, fetchAudit } from '../api/admin';
import type { AuditFilters } from '../api/admin';
import { byCursor } from '../api/by-cursor';
import { useSearch } from '../app/use-search';
import { Badge } from '../design/badge';
import { Card } from '../design/card';
import { classes } from '../design/classes';
import { SearchField, SelectField } from '../design/field';
import { LoadedPages } from '../design/loaded-pages';
import { Page } from '../design/page';
import { Empty } from '../design/states';
import { type Column, Table } from '../design/table';
import { formatInstant, formatLogTime } from '../format/time';
import { ExportMenu } from '../usage/export-menu';
import styles from './admin.module.css';
import { auditChanges, inWords } from './audit-changes';

/** What is done here, by whichever service. */
const actions = [
  ...['access-requested', 'account-changed', 'role-changed', 'first-administrator-made', 'operator-account-made'],
  'reset-link-made',
  ...['person-invited', 'invitation-withdrawn', 'person-joined', 'person-changed', 'person-removed'],
  ...['second-factor-enabled', 'second-factor-removed', 'second-factor-reset', 'recovery-codes-renewed'],
  ...['passkey-added', 'passkey-renamed', 'passkey-removed'],
  ...['key-created', 'key-changed', 'key-rotated', 'key-revoked', 'project-renamed', 'content-read', 'content-removed'],
  ...['model-enabled', 'model-disabled', 'deployment-opened', 'deployment-drained', 'deployment-closed'],
  ...['dead-letter-replayed', 'dead-letter-dropped', 'settings-change-asked', 'settings-rollback-asked'],
  ...['plan-change-asked', 'plan-removal-asked'],
  ...['model-change-asked', 'model-removal-asked'],
  ...['price-change-asked', 'price-removal-asked', 'price-withdrawal-asked'],
  ...['guardrail-change-asked', 'guardrail-removal-asked'],
  ...['webhook-created', 'webhook-changed', 'webhook-removed', 'webhook-tested'],
  ...['factor-change-asked', 'factor-removal-asked', 'factor-withdrawal-asked'],
] satisfies NamedAuditLine['action'][];

export function AuditPage() {
  const [search, change] = useSearch();
  const filters: AuditFilters = Object.fromEntries(
    ['accountId', 'action', 'query'].flatMap((name) => (search.get(name) ? [[name, search.get(name)]] : [])),
  );
  const lines = useInfiniteQuery({
    queryKey: ['admin', 'audit', filters],
    queryFn: ({ pageParam }) => fetchAudit({ ...filters, ...(pageParam && { after: pageParam }) }),
    ...byCursor,
  });
  return (
    <Page
      title="Audit log"
      hint="Who changed what, and when. Nobody can change it."
      actions={<ExportMenu addressOf={(format) => auditExportAddress(format, filters)} />}
    >
      <div className={styles.toolbar} role="search" aria-label="Filter the audit log">
        <SelectField
          label="What"
          hiddenLabel
          value={filters.action ?? ''}
          onChange={(event) => change({ action: event.target.value })}
        >
          <option value="">Everything</option>
          {actions.map((action) => (
            <option key={action} value={action}>
              {inWords(action)}
            </option>
          ))}
        </SelectField>
        <SearchField
          label="Search by person, account or key"
          value={filters.query ?? ''}
          onChange={(event) => change({ query: event.target.value }, 'replace')}
        />
      </div>
      <Card flush>
        <LoadedPages
          query={lines}
          lines={8}
          empty={<Empty icon="book" title={search.size > 0 ? 'Nothing fits' : 'Nothing was changed yet'} />}
          next="Show older ones"
        >
          {(rows, more) => <AuditTable lines={rows} more={more} />}
        </LoadedPages>
      </Card>
    </Page>
  );
}

function AuditTable({ lines, more }: { lines: NamedAuditLine[]; more: ReactNode }) {
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
