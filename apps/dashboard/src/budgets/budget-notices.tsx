import type { OpenedBudget } from '../api/budgets';
import { Card } from '../design/card';
import { Empty } from '../design/states';
import { Table } from '../design/table';
import type { Column } from '../design/table';
import { formatDateTime } from '../format/time';

type Notice = OpenedBudget['notices'][number];

/** Of which thresholds people were told, and when. */
export function BudgetNotices({ opened: { notices, namesMailedAt, budget } }: { opened: OpenedBudget }) {
  return (
    <Card title="Who was told" hint={hintOf(budget.each !== null)} flush={notices.length > 0}>
      {notices.length > 0 ? (
        <Table label="Who was told" columns={columns} rows={notices} rowId={noticeId} />
      ) : namesMailedAt === null ? (
        <Empty icon="message" title="Nobody was told yet">
          {budget.each
            ? 'That is done when a name has spent half of its part.'
            : 'That is done at 50 and 80 percent, and when all of it is used up.'}
        </Empty>
      ) : (
        <p>The last mail about its names was written on {formatDateTime(namesMailedAt)}.</p>
      )}
    </Card>
  );
}

const hintOf = (isEach: boolean) =>
  isEach
    ? 'Webhooks hear of each name; a mail tells of the nearest, at most once an hour.'
    : 'By mail and by webhooks, in the last 40 days.';

const noticeId = ({ windowStart, percent, toldAt }: Notice) => [windowStart, percent, toldAt].join(' ');

const columns: Column<Notice>[] = [
  { header: 'Told', cell: ({ row }) => formatDateTime(row.original.toldAt) },
  { header: 'Of', cell: ({ row: { original } }) => thresholdWords(original.percent) },
  {
    header: 'In the window from',
    cell: ({ row: { original } }) => (original.windowStart === null ? '–' : formatDateTime(original.windowStart)),
  },
];

const thresholdWords = (percent: number) => (percent >= 100 ? 'It is used up' : `${percent} % are spent`);
