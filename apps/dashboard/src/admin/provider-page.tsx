import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from 'react-router';
import { fetchProviders } from '../api/admin';
import type { ProviderHealth } from '../api/admin';
import { useSearch } from '../app/use-search';
import { Badge } from '../design/badge';
import { ButtonLink } from '../design/button';
import { Card } from '../design/card';
import { Facts } from '../design/facts';
import { Page } from '../design/page';
import { Empty, Loaded } from '../design/states';
import { formatCount } from '../format/number';
import { Failures } from '../requests/failures';
import { RangePicker } from '../usage/range-picker';
import { UsageBoard } from '../usage/usage-board';
import { useLineNames } from '../usage/use-line-names';
import { useRange } from '../usage/use-range';
import { healthOf, restsOf } from './health-of';
import { IncidentsCard } from './incidents-card';
import { ProviderCheck } from './provider-check';
import { ProviderKeysCard } from './provider-keys-card';
import { useAccountNames } from './use-accounts';

const divisions = ['model', 'account', 'key'] as const;

/** A provider at its own address: how it is, why requests failed there, and what was used of it. */
export function ProviderPage() {
  const { id = '' } = useParams();
  const providers = useQuery({ queryKey: ['admin', 'providers'], queryFn: fetchProviders, refetchInterval: 5_000 });
  const provider = providers.data?.data.find((one) => one.id === id);
  return (
    <Page
      title={provider?.name ?? id}
      hint={<Link to="/admin/providers">All providers</Link>}
      actions={
        <ButtonLink to={`/admin/models?provider=${encodeURIComponent(id)}`} icon="cube">
          Its models
        </ButtonLink>
      }
    >
      <Loaded query={providers} lines={6}>
        {() => (
          <>
            {provider ? <Now provider={provider} /> : <Empty icon="server" title="The catalog has no such provider" />}
            {/* In one place, so that a dialog of it stays open when the catalog comes to know the provider. */}
            <ProviderKeysCard provider={id} />
            {provider && <Past provider={id} />}
          </>
        )}
      </Loaded>
    </Page>
  );
}

/** How it is. */
function Now({ provider }: { provider: ProviderHealth }) {
  const { dialect, models, available, leftAlone } = provider;
  const { tone, text } = healthOf(provider);
  return (
    <Card title="Now">
      <Facts
        facts={[
          [
            'Health',
            <Badge key="health" tone={tone}>
              {text}
            </Badge>,
          ],
          ['Left alone', leftAlone.join(', ') || null],
          ['Keys that rest', restsOf(provider).join(', ') || null],
          [
            'Models',
            models === 0
              ? 'None yet: Check tells what it answers when it is asked for them'
              : `${formatCount(available)} of ${formatCount(models)} available`,
          ],
          ['Format', <code key="dialect">{dialect}</code>],
          ['Ask it', <ProviderCheck key="check" provider={provider} withToken />],
        ]}
      />
    </Card>
  );
}

/** What failed there, and what was used of it. */
function Past({ provider }: { provider: string }) {
  const [range, setRange] = useRange();
  const [search] = useSearch();
  const nameOf = useLineNames(useAccountNames(search.get('by') === 'account').data?.data);
  return (
    <>
      <IncidentsCard provider={provider} />
      <div>
        <RangePicker range={range} onChange={setRange} />
      </div>
      <Card title="Errors by cause" flush>
        <Failures scope="fleet" range={range} whose={{ provider }} />
      </Card>
      <UsageBoard range={range} filter={{ scope: 'fleet', provider }} divisions={divisions} nameOf={nameOf} />
    </>
  );
}
