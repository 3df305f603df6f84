import type { BudgetEach } from '@tollgate/contracts/metering';
import { useMemo } from 'react';
import type { BudgetName, ListedBudget } from '../api/budgets';
import type { ReportScope } from '../api/reports';
import { withQuery } from '../api/client';
import { Card } from '../design/card';
import { Empty } from '../design/states';
import { Table } from '../design/table';
import type { Column } from '../design/table';
import { logOf } from '../requests/links';
import { useMay } from '../session/session';
import { LinkedName } from '../usage/linked-name';
import { LeftBar } from './budget-left';
import { eachNameOf } from './budget-scopes';
import { resetWords } from './window-words';

/** Of a budget that each name has alone, the names that are the nearest to the limit. */
export function BudgetNames({
  each,
  names,
  budget,
  scope,
  now,
}: {
  each: BudgetEach;
  /** Null: metering does not answer. */
  names: BudgetName[] | null;
  budget: ListedBudget;
  scope: ReportScope;
  now: number;
}) {
  const { one } = eachNameOf(each);
  const maySeeRequests = useMay('requests');
  const columns = useMemo(
    () => columnsOf(each, budget, maySeeRequests ? scope : null),
    [each, budget, maySeeRequests, scope],
  );
  const reset = names?.[0] && resetWords(budget.window, names[0].state, now);
  return (
    <Card title="Nearest to the limit" hint={reset && `${reset}. Those that spent the most, at most 20.`} flush>
      {names === null ? (
        <Empty icon="alert" title="How they stand is not known">
          Metering does not answer. This page follows by itself.
        </Empty>
      ) : names.length === 0 ? (
        <Empty icon="users" title={`No ${one} has spent anything of it`}>
          They show here with the first use in the window at hand.
        </Empty>
      ) : (
        <Table label="Nearest to the limit" columns={columns} rows={names} rowId={({ nameDigest }) => nameDigest} />
      )}
    </Card>
  );
}

/** `log`: whose requests a name leads to; null: who looks sees none. */
function columnsOf(each: BudgetEach, { name: budgetName, unit, accountId }: ListedBudget, log: ReportScope | null) {
  const { one, filter } = eachNameOf(each);
  const pathOf = (name: string) =>
    log && withQuery(logOf(log), { ...(log === 'fleet' && { accountId }), [filter]: name });
  const columns: Column<BudgetName>[] = [
    {
      header: one.charAt(0).toUpperCase() + one.slice(1),
      cell: ({ row: { original } }) =>
        original.name === null ? (
          <code className="break">{original.nameDigest.slice(0, 16)}…</code>
        ) : (
          <LinkedName to={pathOf(original.name)}>{original.name}</LinkedName>
        ),
    },
    {
      header: 'Left',
      cell: ({ row: { original } }) => (
        <LeftBar
          unit={unit}
          state={original.state}
          of={`${budgetName}, by ${original.name ?? original.nameDigest.slice(0, 16)}`}
        />
      ),
    },
  ];
  return columns;
}
