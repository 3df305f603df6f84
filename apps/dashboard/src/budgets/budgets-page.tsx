import { BudgetsBoard } from './budgets-board';
import { Page } from '../design/page';

/** The budgets of one's own account, to look at. */
export function BudgetsPage() {
  return (
    <Page title="Budgets" hint="What your account may spend, and how much of it is left.">
      <BudgetsBoard scope="own" />
    </Page>
  );
}
