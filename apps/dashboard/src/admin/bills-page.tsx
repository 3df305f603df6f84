import type { DriftLine } from '@tollgate/contracts/metering';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { fetchBills } from '../api/bills';
import { Badge } from '../design/badge';
import { Button } from '../design/button';
import { Card } from '../design/card';
import { Choice } from '../design/choice';
import { Note } from '../design/note';
import { Page } from '../design/page';
import { Empty, Loaded } from '../design/states';
import { Table } from '../design/table';
import type { Column } from '../design/table';
import { formatPicoMoney } from '../format/money';
import { formatCount } from '../format/number';
import { formatDateTime } from '../format/time';
import { kindName, lastDays, summedBills } from './drift-of';
import type { SummedBill } from './drift-of';
import { DriftDrawer } from './drift-drawer';

const ranges = { '7': '7 days', '30': '30 days', '90': '90 days' } as const;
type Range = keyof typeof ranges;
/** What differs most comes first; nobody reads thousands of lines that agree. */
const step = 100;

/** What providers bill, day by day, beside what our prices make of the same requests. */
export function BillsPage() {
  const [range, setRange] = useState<Range>('7');
  const [openedAt] = useState(Date.now);
  const { from, to } = lastDays(Number(range), openedAt);
  const bills = useQuery({ queryKey: ['admin', 'bills', from, to], queryFn: () => fetchBills(from, to) });
  return (
    <Page
      title="Bills"
      hint="What providers bill for a day (UTC), beside what our prices make of its requests. Read with an administrator’s key, or imported with tollgate invoices import."
    >
      <Choice
        label="Days"
        value={range}
        onChange={setRange}
        options={Object.entries(ranges).map(([value, name]) => [value as Range, name])}
      />
      <Loaded query={bills} lines={10}>
        {(found) =>
          found.bills.length === 0 ? (
            <Card>
              <Empty icon="book" title="No bill of these days">
                Those of OpenAI, Anthropic and OpenRouter are read where inference has OPENAI_ADMIN_KEY,
                ANTHROPIC_ADMIN_KEY or OPENROUTER_API_KEY. The invoice of any other provider is imported: tollgate
                invoices import.
              </Empty>
            </Card>
          ) : (
            <Compared bills={summedBills(found.bills, found.lines)} lines={found.lines} />
          )
        }
      </Loaded>
    </Page>
  );
}

function Compared({ bills, lines }: { bills: SummedBill[]; lines: DriftLine[] }) {
  const unread = bills.filter(({ problem }) => problem !== null);
  return (
    <>
      {unread.length > 0 && (
        <Note tone="warn" title="Not everything could be read">
          {unread.map(({ provider, day, problem }) => (
            <p key={`${provider} ${day}`} className="break">
              {provider}, {day}: {problem}
            </p>
          ))}
        </Note>
      )}
      <Card title="By day" flush>
        <Table
          label="Bills by day"
          columns={billColumns}
          rows={bills}
          rowId={({ provider, day }) => `${provider} ${day}`}
        />
      </Card>
      <Lines lines={lines} />
    </>
  );
}

function Lines({ lines }: { lines: DriftLine[] }) {
  const [opened, setOpened] = useState<DriftLine | null>(null);
  const [shown, setShown] = useState(step);
  const columns = useMemo(() => lineColumns(setOpened), []);
  const differing = lines.filter(({ driftPicoUsd }) => driftPicoUsd !== '0').sort(byDrift);
  return (
    <Card title="Lines that differ" flush>
      {differing.length === 0 ? (
        <Empty icon="check" title="Nothing differs">
          Every line of these bills is what our prices make of it.
        </Empty>
      ) : (
        <Table
          label="Lines that differ"
          columns={columns}
          rows={differing.slice(0, shown)}
          rowId={({ provider, day, model, kind }) => [provider, day, model, kind].join('\n')}
          onOpen={setOpened}
          more={
            differing.length > shown && (
              <Button onClick={() => setShown(shown + step)}>Show more of {formatCount(differing.length)}</Button>
            )
          }
        />
      )}
      <DriftDrawer line={opened} onClose={() => setOpened(null)} />
    </Card>
  );
}

const sizeOf = ({ driftPicoUsd }: DriftLine) => BigInt(driftPicoUsd.replace('-', ''));
const byDrift = (one: DriftLine, other: DriftLine) => Number(sizeOf(other) - sizeOf(one));

const billColumns: Column<SummedBill>[] = [
  { header: 'Day', meta: { whole: true }, cell: ({ row }) => row.original.day },
  { header: 'Provider', cell: ({ row }) => row.original.provider },
  { header: 'Billed', meta: { end: true }, cell: ({ row }) => formatPicoMoney(row.original.billed) },
  { header: 'Ours', meta: { end: true }, cell: ({ row }) => formatPicoMoney(row.original.rated) },
  {
    header: 'Of that, charged on to nobody',
    meta: { end: true, minor: true },
    cell: ({ row }) => formatPicoMoney(row.original.unbilled),
  },
  {
    header: 'Beside it, perhaps charged',
    meta: { end: true, minor: true },
    cell: ({ row }) => formatPicoMoney(row.original.estimated),
  },
  { header: 'Difference', meta: { end: true }, cell: ({ row }) => <Drift bill={row.original} /> },
  {
    header: 'From',
    meta: { minor: true },
    cell: ({ row }) => (row.original.source === 'api' ? 'the provider’s API' : row.original.source),
  },
  { header: 'Read', meta: { minor: true }, cell: ({ row }) => formatDateTime(row.original.readAt) },
];

/** As the alert has it: the certain differences of the models, each without its sign. */
function Drift({ bill: { drift, problem } }: { bill: SummedBill }) {
  if (problem !== null) return <Badge tone="warn">not read</Badge>;
  if (drift === null) return <Badge>being compared</Badge>;
  return <Badge tone={drift === '0' ? 'good' : 'warn'}>{formatPicoMoney(drift)}</Badge>;
}

const lineColumns = (onOpen: (line: DriftLine) => void): Column<DriftLine>[] => [
  { header: 'Day', meta: { whole: true }, cell: ({ row }) => row.original.day },
  { header: 'Provider', cell: ({ row }) => row.original.provider },
  {
    header: 'Model',
    cell: ({ row: { original } }) => (
      <Button
        size="small"
        tone="quiet"
        aria-label={`Requests behind ${nameOf(original)}`}
        onClick={() => onOpen(original)}
      >
        {original.model || 'all models'}
      </Button>
    ),
  },
  { header: 'Kind', cell: ({ row }) => kindName(row.original.kind) },
  { header: 'Billed', meta: { end: true }, cell: ({ row }) => moneyOr(row.original.billedPicoUsd, 'not billed') },
  { header: 'Ours', meta: { end: true }, cell: ({ row }) => moneyOr(row.original.ratedPicoUsd, 'unknown to us') },
  {
    header: 'Beside it, perhaps charged',
    meta: { end: true, minor: true },
    cell: ({ row }) => formatPicoMoney(row.original.estimatedPicoUsd),
  },
  { header: 'Difference', meta: { end: true }, cell: ({ row }) => formatPicoMoney(row.original.driftPicoUsd) },
  {
    header: 'Quantity, billed and ours',
    meta: { end: true, minor: true },
    cell: ({ row: { original } }) => (
      <>
        {countOr(original.billedQuantity)} / {countOr(original.ratedQuantity)}
        {original.estimatedQuantity > 0 && ` (+ ${formatCount(original.estimatedQuantity)} perhaps)`}
      </>
    ),
  },
  {
    header: 'Requests',
    meta: { end: true, minor: true },
    cell: ({ row: { original } }) => (
      <>
        {formatCount(original.requests)}
        {original.unpriced > 0 && ` (${formatCount(original.unpriced)} unpriced)`}
      </>
    ),
  },
];

const nameOf = ({ model, kind, day }: DriftLine) => `${model || 'all models'}, ${kindName(kind)}, ${day}`;
const moneyOr = (picoUsd: string | null, none: string) => (picoUsd === null ? none : formatPicoMoney(picoUsd));
const countOr = (count: number | null) => (count === null ? '–' : formatCount(count));
