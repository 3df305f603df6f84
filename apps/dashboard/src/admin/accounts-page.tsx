import { type ReactNode, useMemo } from 'react';
import type { ListedAccount } from '../api/admin';
import { useSearch } from '../app/use-search';
import { Card } from '../design/card';
import { Choice } from '../design/choice';
import { SearchField } from '../design/field';
import { LoadedPages } from '../design/loaded-pages';
import { Page } from '../design/page';
import { Empty } from '../design/states';
import { RowLink } from '../design/steps';
import { type Column, Table } from '../design/table';
import { formatCount } from '../format/number';
import { formatDate } from '../format/time';
import { AccountActions } from './account-actions';
import { AccountBadge } from './account-badge';
import styles from './admin.module.css';
import { FleetStatusLine } from './fleet-status-line';
import { useAccounts } from './use-accounts';

const statuses = [
  ['', 'All'],
  ['pending', 'Requests'],
  ['active', 'Active'],
  ['suspended', 'Suspended'],
  ['declined', 'Declined'],
] as const;
type Status = (typeof statuses)[number][0];

export function AccountsPage() {
  const [search, change] = useSearch();
  const status = statuses.find(([known]) => known === search.get('status'))?.[0] ?? '';
  const words = search.get('q') ?? '';
  const accounts = useAccounts(status, words);
  return (
    <Page
      title="Accounts"
      hint="Who asked for access, who has it, and how much they may use."
      actions={<FleetStatusLine />}
    >
      <div className={styles.toolbar}>
        <Choice<Status>
          label="Status"
          options={statuses}
          value={status}
          onChange={(next) => change({ status: next })}
        />
        <SearchField
          label="Search by name or email"
          value={words}
          onChange={(event) => change({ q: event.target.value }, 'replace')}
        />
      </div>
      <Card flush>
        <LoadedPages
          query={accounts}
          empty={
            <Empty icon="users" title={status === 'pending' ? 'No request waits' : 'No account found'}>
              {status === 'pending' ? 'New ones show here by themselves.' : 'Choose another status or a shorter word.'}
            </Empty>
          }
        >
          {(rows, more) => <AccountsTable accounts={rows} onChanged={() => void accounts.refetch()} more={more} />}
        </LoadedPages>
      </Card>
    </Page>
  );
}

function AccountsTable({
  accounts,
  onChanged,
  more,
}: {
  accounts: ListedAccount[];
  onChanged: () => void;
  more: ReactNode;
}) {
  const columns = useMemo(() => columnsOf(onChanged), [onChanged]);
  return <Table label="Accounts" columns={columns} rows={accounts} rowId={({ id }) => id} more={more} />;
}

const columnsOf = (onChanged: () => void): Column<ListedAccount>[] => [
  {
    header: 'Account',
    cell: ({ row: { original } }) => (
      <span className={styles.name}>
        <RowLink to={`/admin/accounts/${encodeURIComponent(original.id)}`}>{original.name}</RowLink>
        <span className="muted break">{original.email}</span>
        {original.status === 'pending' && original.purpose && (
          <span className={styles.purpose}>{original.purpose}</span>
        )}
      </span>
    ),
  },
  { header: 'State', cell: ({ row }) => <AccountBadge status={row.original.status} /> },
  { header: 'Plan', cell: ({ row }) => row.original.plan },
  {
    header: 'Keys',
    meta: { end: true },
    cell: ({ row }) => (row.original.keys === undefined ? '–' : formatCount(row.original.keys)),
  },
  { header: 'Since', cell: ({ row }) => formatDate(row.original.createdAt) },
  {
    id: 'actions',
    header: () => <span className="visually-hidden">Actions</span>,
    meta: { end: true },
    cell: ({ row }) => <AccountActions account={row.original} onChanged={onChanged} />,
  },
];
