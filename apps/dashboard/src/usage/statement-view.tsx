import { otherModels } from '@tollgate/contracts/metering';
import type { Statement, StatementLine } from '@tollgate/contracts/metering';
import { Card } from '../design/card';
import { Facts } from '../design/facts';
import { Empty } from '../design/states';
import { Table } from '../design/table';
import type { Column } from '../design/table';
import { formatExactMoney, unpricedWords } from '../format/money';
import { formatCount } from '../format/number';
import { modelPath } from '../app/paths';
import { LinkedName } from './linked-name';
import { monthInWords } from './months';
import { sumsByModel } from './statement-sums';
import type { ModelSum } from './statement-sums';

interface Told {
  statement: Statement;
  name: string | null;
  project: string | null;
}

/** A statement as it is read and printed: the sum, the models, and each day of them. */
export function StatementView(told: Told) {
  const { lines } = told.statement;
  return (
    <>
      <StatementSums {...told} />
      {lines.length > 0 && (
        <Card title="By day and model" flush>
          <Table label="By day and model" columns={ofDays} rows={lines} rowId={({ day, model }) => `${day} ${model}`} />
        </Card>
      )}
    </>
  );
}

/** The sum of a month, and the models that it is of. */
export function StatementSums({ statement: { month, total, lines }, name, project }: Told) {
  return (
    <>
      <Card title={monthInWords(month)} hint="The month of the calendar in UTC, as quotas and budgets count it.">
        <Facts
          facts={[
            ['Account', name],
            ['Project', project === null ? null : `${project}: of the keys that are of it today`],
            ['Charged', <strong key="sum">{formatExactMoney(total.costNanoUsd)}</strong>],
            ['Not in it', unpricedWords(total)],
            ['Requests', formatCount(total.requests)],
            ['Tokens', `${formatCount(total.inputTokens)} in, ${formatCount(total.outputTokens)} out`],
          ]}
        />
      </Card>
      {lines.length === 0 ? (
        <Empty icon="activity" title="Nothing was used in this month" />
      ) : (
        <Card title="By model" flush>
          <Table label="By model" columns={ofModels} rows={sumsByModel(lines)} rowId={({ model }) => model} />
        </Card>
      )}
    </>
  );
}

type Charged = ModelSum | StatementLine;

const amounts: Column<Charged>[] = [
  { header: 'Requests', meta: { end: true }, cell: ({ row }) => formatCount(row.original.requests) },
  { header: 'Input', meta: { end: true }, cell: ({ row }) => formatCount(row.original.inputTokens) },
  {
    header: 'Cached',
    meta: { end: true, minor: true },
    cell: ({ row }) => formatCount(row.original.cachedInputTokens),
  },
  { header: 'Output', meta: { end: true }, cell: ({ row }) => formatCount(row.original.outputTokens) },
  {
    header: 'Charged',
    meta: { end: true },
    cell: ({ row: { original } }) =>
      [formatExactMoney(String(original.costNanoUsd)), unpricedWords(original)]
        .filter((text) => text !== null)
        .join(', '),
  },
];

const modelColumn: Column<Charged> = {
  header: 'Model',
  cell: ({ row: { original } }) => <LinkedName to={pathOf(original.model)}>{original.model}</LinkedName>,
};
const pathOf = (model: string) => (model === otherModels ? null : modelPath(model));

const ofModels = [modelColumn, ...amounts] as Column<ModelSum>[];
const ofDays = [
  { header: 'Day', meta: { whole: true }, cell: ({ row }) => row.original.day },
  modelColumn,
  ...amounts,
] as Column<StatementLine>[];
