import { BudgetsCard } from '../budgets/budgets-card';
import { ButtonLink } from '../design/button';
import { Page } from '../design/page';
import { Skeleton } from '../design/states';
import { useKeys } from '../keys/use-keys';
import { useSession } from '../session/session';
import { AccessNote } from './access-note';
import { MonthCard } from './month-card';
import { QuotaCard } from './quota-card';
import { RangePicker } from './range-picker';
import { UsageBoard } from './usage-board';
import { useLineNames } from './use-line-names';
import { useRange } from './use-range';

const own = { scope: 'own' } as const;
const divisions = ['model', 'key', 'provider'] as const;

export function OverviewPage() {
  const { account } = useSession();
  const [range, setRange] = useRange();
  const keys = useKeys();
  const known = keys.data?.data;
  const nameOf = useLineNames(known);
  return (
    <Page
      title="Overview"
      hint={account ? `Plan ${account.plan}. Figures follow within seconds.` : 'Figures follow within seconds.'}
      actions={
        <>
          <ButtonLink to="/statement" icon="columns">
            Statement
          </ButtonLink>
          <RangePicker range={range} onChange={setRange} />
        </>
      }
    >
      <AccessNote />
      {keys.isLoading && <Skeleton inPlace={keys.failureCount > 0} />}
      {known?.length === 0 && <QuotaCard />}
      <MonthCard filter={own} />
      <UsageBoard range={range} filter={own} divisions={divisions} nameOf={nameOf} />
      <BudgetsCard />
      {known?.length !== 0 && <QuotaCard />}
    </Page>
  );
}
