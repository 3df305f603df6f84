import { useMemo } from 'react';
import type { BudgetUnit } from '@tollgate/contracts';
import type { OpenedBudget } from '../api/budgets';
import { Card } from '../design/card';
import { Empty } from '../design/states';
import { Table } from '../design/table';
import type { Column } from '../design/table';
import { formatWindow } from '../format/time';
import { formatExactAmount } from './amount';

type WindowSum = NonNullable<OpenedBudget['windows']>[number];

/** What was spent in the calendar windows of a budget, the newest first. Null: metering does not answer. */
export function BudgetWindows({ unit, windows }: Pick<OpenedBudget, 'windows'> & { unit: BudgetUnit }) {
  const columns = useMemo(() => columnsOf(unit), [unit]);
  return (
    <Card
      title="Windows"
      hint="What was spent in each of the last windows; one in which nobody asked for any of it is left out."
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

const columnsOf = (unit: BudgetUnit): Column<WindowSum>[] => [
  { header: 'From, until', cell: ({ row: { original } }) => formatWindow(original.startAt, original.endAt) },
  { header: 'Spent', meta: { end: true }, cell: ({ row }) => formatExactAmount(unit, row.original.spentNanoUsd) },
];
