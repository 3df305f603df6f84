import { useState } from 'react';
import { Link } from 'react-router';
import { useSearch } from '../app/use-search';
import { Button } from '../design/button';
import { Page } from '../design/page';
import { BudgetLayer, type BudgetLayerState } from './budget-layer';
import { budgetsPath } from '../app/paths';
import { BudgetsBoard } from './budgets-board';

/** The budgets of one's own account, to look at. */
export function BudgetsPage() {
  return (
    <Page title="Budgets" hint="What your account may spend, and how much of it is left.">
      <BudgetsBoard scope="own" />
    </Page>
  );
}

/** The budgets of everybody, or of the account in the address: made, changed and removed here. */
export function AdminBudgetsPage() {
  const [search] = useSearch();
  const accountId = search.get('accountId');
  const [layer, setLayer] = useState<BudgetLayerState>(null);
  const create = (
    <Button tone="primary" icon="plus" onClick={() => setLayer({ kind: 'create', accountId })}>
      Set a budget
    </Button>
  );
  return (
    <Page
      title={accountId === null ? 'All budgets' : 'Budgets of an account'}
      hint={
        accountId === null ? (
          'How many dollars accounts, keys, projects, end users and tags may spend. Edges keep to a change within a second.'
        ) : (
          <Link to={budgetsPath('fleet')}>All budgets</Link>
        )
      }
      actions={create}
    >
      <BudgetsBoard
        scope="fleet"
        accountId={accountId}
        create={create}
        acts={{
          onChange: (budget) => setLayer({ kind: 'change', budget }),
          onRemove: (budget) => setLayer({ kind: 'remove', budget }),
        }}
      />
      <BudgetLayer layer={layer} onClose={() => setLayer(null)} />
    </Page>
  );
}
