import type { OpenedBudget } from '../api/budgets';
import { Card } from '../design/card';
import { Empty } from '../design/states';
import { Table } from '../design/table';
import type { Column } from '../design/table';
import { formatExactMoney } from '../format/money';
import { formatWindow } from '../format/time';

type WindowSum = NonNullable<OpenedBudget['windows']>[number];

/** What was spent in the calendar windows of a budget, the newest first. Null: metering does not answer. */
export function BudgetWindows({ windows }: Pick<OpenedBudget, 'windows'>) {
  return (
    <Card
      title="Windows"
      hint="What was spent in each of the last windows; one in which nobody asked for money of it is left out."
      flush
    >
      {windows === null ? (
        <Empty icon="alert" title="What was spent is not known">
          Metering does not answer. This page follows by itself.
        </Empty>
      ) : windows.length === 0 ? (
        <Empty icon="activity" title="No window yet">
          The first one shows with the first request that has to fit into the budget.
        </Empty>
      ) : (
        <Table label="Windows" columns={columns} rows={windows} rowId={({ startAt }) => String(startAt)} />
      )}
    </Card>
  );
}

const columns: Column<WindowSum>[] = [
  { header: 'From, until', cell: ({ row: { original } }) => formatWindow(original.startAt, original.endAt) },
  { header: 'Spent', meta: { end: true }, cell: ({ row }) => formatExactMoney(row.original.spentNanoUsd) },
];
