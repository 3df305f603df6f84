import { useState } from 'react';
import { Link, useNavigate, useParams } from 'react-router';
import type { OpenedBudget } from '../api/budgets';
import type { ReportScope } from '../api/reports';
import { ApiError } from '../api/api-error';
import { Button } from '../design/button';
import { Page } from '../design/page';
import { Empty, Loaded } from '../design/states';
import { BudgetLayer } from './budget-layer';
import type { BudgetLayerState } from './budget-layer';
import { budgetsPath } from './budget-path';
import { BudgetNames } from './budget-names';
import { BudgetNotices } from './budget-notices';
import { BudgetRules, BudgetStanding } from './budget-facts';
import { BudgetWindows } from './budget-windows';
import { isRolling } from './window-words';
import { useBudget } from './use-budgets';

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
