import type { BudgetUnit } from '@tollgate/contracts/metering';
import { useMemo, useState } from 'react';
import { Link, useNavigate, useParams } from 'react-router';
import { ApiError } from '../api/api-error';
import type { OpenedBudget } from '../api/budgets';
import type { ReportScope } from '../api/reports';
import { Button } from '../design/button';
import { Card } from '../design/card';
import { Page } from '../design/page';
import { Empty, Loaded } from '../design/states';
import { type Column, Table } from '../design/table';
import { formatDateTime, formatWindow } from '../format/time';
import { formatExactAmount } from './standing';
import { BudgetRules, BudgetStanding } from './budget-facts';
import { BudgetLayer } from './budget-layer';
import type { BudgetLayerState } from './budget-layer';
import { BudgetNames } from './budget-names';
import { budgetsPath } from '../app/paths';
import { useBudget } from './use-budgets';
import { isRolling } from './window-words';

/** A budget of one's own account at its address. */
export const BudgetPage = () => <BudgetAtItsAddress scope="own" />;

/** A budget of anybody, which administrators change and remove. */
export const AdminBudgetPage = () => <BudgetAtItsAddress scope="fleet" />;

function BudgetAtItsAddress({ scope }: { scope: ReportScope }) {
  const { id = '' } = useParams();
  const opened = useBudget(scope, id);
  const navigate = useNavigate();
  const [layer, setLayer] = useState<BudgetLayerState>(null);
  const budget = opened.data?.budget;
  const isGone = opened.error instanceof ApiError && opened.error.status === 404;
  return (
    <Page
      title={budget?.name ?? 'Budget'}
      hint={<Link to={budgetsPath(scope)}>All budgets</Link>}
      actions={
        scope === 'fleet' &&
        budget &&
        !isGone && (
          <>
            <Button icon="settings" onClick={() => setLayer({ kind: 'change', budget })}>
              Change
            </Button>
            <Button icon="trash" onClick={() => setLayer({ kind: 'remove', budget })}>
              Remove
            </Button>
          </>
        )
      }
    >
      {isGone ? (
        <Empty icon="shield" title="There is no such budget">
          It may have been removed, or belong to another account.
        </Empty>
      ) : (
        <Loaded query={opened} lines={8}>
          {(found) => <Opened opened={found} scope={scope} now={opened.dataUpdatedAt} />}
        </Loaded>
      )}
      <BudgetLayer
        layer={layer}
        onClose={() => setLayer(null)}
        onRemoved={() => void navigate(budgetsPath(scope), { replace: true })}
      />
    </Page>
  );
}

function Opened({ opened, scope, now }: { opened: OpenedBudget; scope: ReportScope; now: number }) {
  const { budget, names, windows } = opened;
  const hasWindows = !budget.each && budget.window !== 'total' && !isRolling(budget.window);
  return (
    <>
      {!budget.each && <BudgetStanding budget={budget} now={now} />}
      {budget.each && <BudgetNames each={budget.each} names={names} budget={budget} scope={scope} now={now} />}
      <BudgetRules budget={budget} scope={scope} />
      {hasWindows && <BudgetWindows unit={budget.unit} windows={windows} />}
      <BudgetNotices opened={opened} />
    </>
  );
}

type WindowSum = NonNullable<OpenedBudget['windows']>[number];

/** What was spent in the calendar windows of a budget, the newest first. Null: metering does not answer. */
function BudgetWindows({ unit, windows }: Pick<OpenedBudget, 'windows'> & { unit: BudgetUnit }) {
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

type Notice = OpenedBudget['notices'][number];

/** Of which thresholds people were told, and when. */
function BudgetNotices({ opened: { notices, namesMailedAt, budget } }: { opened: OpenedBudget }) {
  return (
    <Card title="Who was told" hint={hintOf(budget.each !== null)} flush={notices.length > 0}>
      {notices.length > 0 ? (
        <Table label="Who was told" columns={columns} rows={notices} rowId={noticeId} />
      ) : namesMailedAt === null ? (
        <Empty icon="message" title={budget.each ? 'No mail was written yet' : 'Nobody was told yet'}>
          {budget.each
            ? 'One is written when a name has spent half of its part.'
            : 'That is done at 50 and 80 percent, when all of it is used up, and when it refuses a request.'}
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

/** `percent` 0: a request was refused while something was left. */
function thresholdWords(percent: number): string {
  if (percent === 0) return 'A request was refused';
  return percent >= 100 ? 'It is used up' : `${percent} % are spent`;
}
