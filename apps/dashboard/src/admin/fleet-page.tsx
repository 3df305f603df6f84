import { useSearch } from '../app/use-search';
import { Page } from '../design/page';
import { MonthCard } from '../usage/month-card';
import { RangePicker } from '../usage/range-picker';
import { UsageBoard } from '../usage/usage-board';
import { useLineNames } from '../usage/use-line-names';
import { useRange } from '../usage/use-range';
import { FleetStatusLine } from './fleet-status-line';
import { useAccountNames } from './use-accounts';

const fleet = { scope: 'fleet' } as const;
const divisions = ['provider', 'model', 'account', 'key'] as const;

export function FleetPage() {
  const [range, setRange] = useRange();
  const [search] = useSearch();
  const accounts = useAccountNames(search.get('by') === 'account');
  const known = accounts.data?.data;
  const nameOf = useLineNames(known);
  return (
    <Page title="Fleet" hint="Everybody's usage." actions={<RangePicker range={range} onChange={setRange} />}>
      <FleetStatusLine />
      <MonthCard filter={fleet} />
      <UsageBoard range={range} filter={fleet} divisions={divisions} nameOf={nameOf} />
    </Page>
  );
}
