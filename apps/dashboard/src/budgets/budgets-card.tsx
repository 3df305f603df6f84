import { Link } from 'react-router';
import type { ListedBudget } from '../api/budgets';
import { Card } from '../design/card';
import { Skeleton } from '../design/states';
import { BudgetLeft } from './budget-left';
import { budgetPath, budgetsPath } from '../app/paths';
import styles from './budgets.module.css';
import { byNearness } from './standing';
import { useBudgets } from './use-budgets';
import { windowWords } from './window-words';

const mostShown = 6;
/** Everybody has the overview open, and each look asks metering how all of them stand. */
const lookMs = 60_000;

/** What is left of the budgets of one's account, those nearest to their limit; nothing where there is none. */
export function BudgetsCard() {
  const { data, isLoading, failureCount } = useBudgets('own', { refetchInterval: lookMs });
  const budgets = (data?.pages ?? []).flatMap((page) => page.data);
  if (isLoading) return <Skeleton lines={2} inPlace={failureCount > 0} />;
  if (budgets.length === 0) return null;
  return (
    <Card title="Budgets" actions={<Link to={budgetsPath('own')}>All budgets</Link>}>
      <ul className={styles.budgets} aria-label="Budgets">
        {byNearness(budgets)
          .slice(0, mostShown)
          .map((budget) => (
            <BudgetLine key={budget.id} budget={budget} />
          ))}
      </ul>
    </Card>
  );
}

function BudgetLine({ budget }: { budget: ListedBudget }) {
  return (
    <li>
      <span>
        <Link to={budgetPath('own', budget.id)} className="break">
          {budget.name}
        </Link>{' '}
        <span className="muted small">{windowWords(budget)}</span>
      </span>
      <BudgetLeft budget={budget} />
    </li>
  );
}
