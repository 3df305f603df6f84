import { useMemo } from 'react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { ListedBudget } from '../api/budgets';
import type { ReportScope } from '../api/reports';
import { IconButton } from '../design/button';
import { Menu } from '../design/menu';
import { Table } from '../design/table';
import type { Column } from '../design/table';
import { AccountLink } from '../requests/links';
import { AtLimit } from './at-limit';
import { BudgetLeft } from './budget-left';
import { budgetPath } from '../app/paths';
import { BudgetScope } from './budget-scope';
import styles from './budgets.module.css';
import { stateOf } from './standing';
import { resetWords, windowWords } from './window-words';

/** What can be done with a budget; null: who looks may change none. */
export type BudgetActs = Record<'onChange' | 'onRemove', (budget: ListedBudget) => void> | null;

export function BudgetsTable({
  budgets,
  scope,
  acts,
  more,
}: {
  budgets: ListedBudget[];
  scope: ReportScope;
  acts: BudgetActs;
  more?: ReactNode;
}) {
  const columns = useMemo(() => columnsOf(scope, acts), [scope, acts]);
  return <Table label="Budgets" columns={columns} rows={budgets} rowId={({ id }) => id} more={more} />;
}

function columnsOf(scope: ReportScope, acts: BudgetActs): Column<ListedBudget>[] {
  return [
    {
      header: 'Budget',
      accessorFn: ({ name }) => name,
      enableSorting: true,
      sortDescFirst: false,
      cell: ({ row: { original } }) => (
        <span className={styles.stack}>
          <Link to={budgetPath(scope, original.id)} className="break">
            {original.name}
          </Link>
          {scope === 'fleet' && (
            <span className="muted small">
              of <AccountLink request={original} />
            </span>
          )}
        </span>
      ),
    },
    { header: 'On', cell: ({ row }) => <BudgetScope budget={row.original} scope={scope} /> },
    { header: 'Left', cell: ({ row }) => <BudgetLeft budget={row.original} /> },
    { header: 'Window', cell: ({ row }) => <WindowCell budget={row.original} now={Date.now()} /> },
    { header: 'At the limit', cell: ({ row }) => <AtLimit budget={row.original} /> },
    ...(acts ? [actionsOf(acts)] : []),
  ];
}

function WindowCell({ budget, now }: { budget: ListedBudget; now: number }) {
  const state = stateOf(budget);
  return (
    <span className={styles.stack}>
      <span>{windowWords(budget)}</span>
      {state && <span className="muted small">{resetWords(budget.window, state, now)}</span>}
    </span>
  );
}

const actionsOf = ({ onChange, onRemove }: NonNullable<BudgetActs>): Column<ListedBudget> => ({
  id: 'actions',
  header: () => <span className="visually-hidden">Actions</span>,
  meta: { end: true },
  cell: ({ row: { original } }) => (
    <Menu
      items={[
        { name: 'Change', icon: 'settings', onSelect: () => onChange(original) },
        { name: 'Remove', icon: 'trash', tone: 'bad', onSelect: () => onRemove(original) },
      ]}
    >
      <IconButton size="small" icon="more" label={`Actions for ${original.name}`} />
    </Menu>
  ),
});
