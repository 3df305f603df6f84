import type { BudgetState, BudgetUnit } from '@tollgate/contracts/metering';
import type { ListedBudget } from '../api/budgets';
import { Meter } from '../design/meter';
import { eachNameOf } from './budget-scopes';
import styles from './budgets.module.css';
import { leftWords, standingOf, usedWords } from './standing';

/** What is left as a bar, and in words. `of`: the budget, or the name whose part it is. */
export function LeftBar({ unit, state, of }: { unit: BudgetUnit; state: BudgetState; of: string }) {
  const standing = standingOf(state);
  return (
    <span className={styles.left}>
      <span className="number">{leftWords(unit, standing)}</span>
      <Meter used={Math.max(0, standing.share)} limit={1} label={`Used of ${of}`} />
      <span className="muted small number">{usedWords(unit, state)}</span>
    </span>
  );
}

/** The same of a budget in a list; of one that each name has alone, of the name that spent the most. */
export function BudgetLeft({ budget: { name, unit, state, nearest, each } }: { budget: ListedBudget }) {
  if (state) return <LeftBar unit={unit} state={state} of={name} />;
  if (!each) return <span className="muted">Not known: metering does not answer.</span>;
  if (!nearest) return <span className="muted">No {eachNameOf(each).one} has spent anything of it.</span>;
  const named = nearest.name ?? 'one whose name is not kept';
  return (
    <span className={styles.stack}>
      <LeftBar unit={unit} state={nearest.state} of={`${name}, by ${named}`} />
      <span className="muted small break">by {named}, the nearest to the limit</span>
    </span>
  );
}
