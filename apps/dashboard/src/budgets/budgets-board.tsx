import type { ReactNode } from 'react';
import type { ListedBudget } from '../api/budgets';
import type { ReportScope } from '../api/reports';
import { useSearch } from '../app/use-search';
import { Card } from '../design/card';
import { Choice } from '../design/choice';
import { SearchField } from '../design/field';
import { LoadedPages } from '../design/loaded-pages';
import { Empty, Loaded } from '../design/states';
import { pollMs } from '../usage/use-series';
import styles from './budgets.module.css';
import { BudgetsTable } from './budgets-table';
import type { BudgetActs } from './budgets-table';
import { shownWords } from './shown-words';
import { byNearness, isNear } from './standing';
import { useBudgets, useNearBudgets } from './use-budgets';

const shown = [
  ['', 'All'],
  ['near', 'Near the limit'],
] as const;
type Shown = (typeof shown)[number][0];

interface Props {
  scope: ReportScope;
  /** Of whom, in the fleet; null: of everybody. */
  accountId?: string | null;
  acts?: BudgetActs;
  /** The button that sets one, where who looks may. */
  create?: ReactNode;
}

/** Budgets, those first that are the nearest to their limit. Which are shown stands in the address. */
export function BudgetsBoard({ scope, accountId = null, acts = null, create }: Props) {
  const [search, change] = useSearch();
  const show = shown.find(([known]) => known === search.get('show'))?.[0] ?? '';
  const words = search.get('q') ?? '';
  // Who is near of everybody is read by itself; of one account all budgets are at hand.
  const isOfAll = scope === 'fleet' && accountId === null;
  const asksNear = show === 'near' && isOfAll;
  const budgets = useBudgets(scope, { accountId, enabled: !asksNear });
  const near = useNearBudgets(2 * pollMs, asksNear);
  const kept = (rows: ListedBudget[]) =>
    byNearness(rows.filter((row) => (show === '' || asksNear || isNear(row)) && holds(row, words)));
  const table = (rows: ListedBudget[], more?: ReactNode) => {
    const found = kept(rows);
    return found.length > 0 ? (
      <BudgetsTable budgets={found} scope={scope} acts={acts} more={more} />
    ) : (
      <>
        <NoneFound isNear={show === 'near' && words === ''} isPart={Boolean(more)} />
        {more}
      </>
    );
  };
  const looksAt = shownWords({
    near: show === 'near' ? (isOfAll ? 'everybody' : 'account') : null,
    count: asksNear ? (near.data?.data ?? []).length : loaded(budgets.data?.pages),
    isMore: asksNear ? near.data?.isMore === true : budgets.hasNextPage,
  });
  return (
    <>
      <div className={styles.toolbar}>
        <Choice<Shown> label="Show" options={shown} value={show} onChange={(next) => change({ show: next })} />
        <SearchField
          label={isOfAll ? 'By name, account, project or key' : 'By name, project or key'}
          value={words}
          onChange={(event) => change({ q: event.target.value }, 'replace')}
        />
      </div>
      {looksAt !== null && <p className="muted small">{looksAt}</p>}
      <Card flush>
        {asksNear ? (
          <Loaded query={near}>{({ data }) => table(data)}</Loaded>
        ) : (
          <LoadedPages query={budgets} empty={<NoBudget scope={scope} create={create} />}>
            {table}
          </LoadedPages>
        )}
      </Card>
    </>
  );
}

const loaded = (pages: readonly { data: readonly unknown[] }[] = []) =>
  pages.reduce((count, { data }) => count + data.length, 0);

/** Whether the names of a budget hold what was typed. */
function holds({ name, accountName, project, keys }: ListedBudget, words: string): boolean {
  const typed = words.trim().toLowerCase();
  return [name, accountName, project, ...keys.map((key) => key.name)].some((one) => one?.toLowerCase().includes(typed));
}

/** `isPart`: there are others, which are not at hand. */
function NoneFound({ isNear: wasNear, isPart }: { isNear: boolean; isPart: boolean }) {
  return wasNear ? (
    <Empty icon="check" title="No budget is near its limit">
      One that comes near it shows here by itself.
    </Empty>
  ) : (
    <Empty icon="search" title={isPart ? 'None of these budgets' : 'No budget found'}>
      {isPart ? 'Show more of them, or choose a shorter word.' : 'Choose a shorter word, or all of them.'}
    </Empty>
  );
}

function NoBudget({ scope, create }: { scope: ReportScope; create: ReactNode }) {
  return (
    <Empty icon="shield" title="There is no budget yet" action={create}>
      A budget says how many dollars, or tokens, an account, a key, a project, or each end user or tag may spend in an
      hour, a day, a month or in all.{' '}
      {scope === 'fleet'
        ? 'What would exceed it is refused before it costs anything, or goes on with a warning or a cheaper model.'
        : 'Administrators of the gateway set them; yours show here with what is left.'}
    </Empty>
  );
}
