import { hoursInWords } from '@tollgate/contracts/catalog';
import { Link, useParams } from 'react-router';
import type { ListedModel } from '../api/catalog';
import { useCatalog } from '../api/catalog';
import { useSearch } from '../app/use-search';
import { Badge } from '../design/badge';
import { ButtonLink } from '../design/button';
import { Card } from '../design/card';
import { Choice } from '../design/choice';
import { CodeBlock } from '../design/code-block';
import { CopyButton } from '../design/copy-button';
import { Facts } from '../design/facts';
import { Page } from '../design/page';
import { Empty, Loaded } from '../design/states';
import { PageSteps } from '../design/steps';
import { Tabs } from '../design/tabs';
import { formatCount } from '../format/number';
import { snippetsFor } from '../keys/snippets-for';
import { useKeys } from '../keys/use-keys';
import { Failures } from '../requests/failures';
import { ProviderLink } from '../requests/links';
import { useSession } from '../session/session';
import { RangePicker } from '../usage/range-picker';
import { UsageBoard } from '../usage/usage-board';
import { useLineNames } from '../usage/use-line-names';
import { useRange } from '../usage/use-range';
import { capabilitiesOf, priceOf, standingOf } from './model-facts';
import { modelPath } from '../app/paths';
import styles from './models.module.css';
import { OtherPrices } from './other-prices';
import { UnconfirmedPrice } from './price-doubts';
import { useAsked } from './use-asked';

const ownDivisions = ['key', 'provider'] as const;
const fleetDivisions = ['account', 'key', 'provider'] as const;

/** A model at its own address: what it is, what it costs, how to call it, and how it did. */
export function ModelPage() {
  const { '*': id = '' } = useParams();
  const catalog = useCatalog();
  const asked = useAsked();
  const [model] = asked(catalog.data?.models.filter((one) => one.id === id) ?? []);
  return (
    <Page
      title={model?.name ?? id}
      hint={<Link to="/models">All models</Link>}
      actions={
        <>
          <PageSteps id={id} thing="model" pageOf={modelPath} />
          {model?.available && model.kind === 'text' && (
            <ButtonLink to={`/playground?model=${encodeURIComponent(id)}`} icon="message">
              Try it
            </ButtonLink>
          )}
        </>
      }
    >
      <Loaded query={catalog} lines={8}>
        {() =>
          model ? (
            <Opened key={id} model={model} />
          ) : (
            <Empty icon="cube" title="There is no such model">
              It may have another name by now. What it was used for stays in the reports.
            </Empty>
          )
        }
      </Loaded>
    </Page>
  );
}

function Opened({ model }: { model: ListedModel }) {
  const isAdministrator = useSession().user.role === 'administrator';
  const [search, change] = useSearch();
  const [range, setRange] = useRange('week');
  const scope = isAdministrator && search.get('whose') === 'fleet' ? 'fleet' : 'own';
  const nameOf = useLineNames(useKeys().data?.data);
  return (
    <>
      <div className={styles.parts}>
        <WhatItIs model={model} scope={scope} />
        <Prices model={model} />
      </div>
      {model.pricing && <OtherPrices pricing={model.pricing} />}
      {model.kind === 'text' && <Code id={model.id} />}
      <div className={styles.toolbar}>
        <RangePicker range={range} onChange={setRange} />
        {isAdministrator && (
          <Choice
            label="Whose usage"
            options={[
              ['own', 'Mine'],
              ['fleet', 'Everybody’s'],
            ]}
            value={scope}
            onChange={(whose) => change({ whose: whose === 'fleet' ? whose : null })}
          />
        )}
      </div>
      <UsageBoard
        range={range}
        filter={{ scope, model: model.id }}
        divisions={scope === 'fleet' ? fleetDivisions : ownDivisions}
        nameOf={nameOf}
      />
      <Card title="Errors by cause" flush>
        <Failures scope={scope} range={range} whose={{ model: model.id }} />
      </Card>
    </>
  );
}

function WhatItIs({ model, scope }: { model: ListedModel; scope: 'own' | 'fleet' }) {
  const { id, status, available, simulated, retirement, contextWindow, maxOutputTokens } = model;
  const tokens = (count: number | null) => (count === null ? null : `${formatCount(count)} tokens`);
  return (
    <Card title="Model">
      <Facts
        facts={[
          [
            'Id',
            <span key="id" className={styles.id}>
              <code className="break">{id}</code> <CopyButton text={id} name="id" />
            </span>,
          ],
          ['Provider', <ProviderLink key="provider" request={{ provider: model.provider }} scope={scope} />],
          [
            'State',
            <span key="state" className={styles.badges}>
              <Badge tone={available ? 'good' : 'plain'}>{standingOf(model)}</Badge>
              {status !== 'active' && <Badge tone="warn">{status}</Badge>}
              {simulated && <Badge tone="warn">simulated</Badge>}
            </span>,
          ],
          ['Ends', retirement?.date ?? null],
          ['Its successor', retirement?.successor ?? null],
          ['Context', tokens(contextWindow)],
          ['Longest answer', tokens(maxOutputTokens)],
          ['Takes', model.inputModalities.join(', ') || null],
          ['Gives', model.outputModalities.join(', ') || null],
          ['Can', capabilitiesOf(model).join(', ') || null],
        ]}
      />
    </Card>
  );
}

function Prices({ model: { pricing } }: { model: ListedModel }) {
  return (
    <Card title="Price" hint="US dollars per million tokens.">
      {pricing ? (
        <Facts
          facts={[
            ['Input', priceOf(pricing.input)],
            ['Input from the cache', pricing.cachedInput == null ? null : priceOf(pricing.cachedInput)],
            ['Input into the cache', pricing.cacheWrite == null ? null : priceOf(pricing.cacheWrite)],
            ['Output', pricing.output == null ? null : priceOf(pricing.output)],
            ['By the hour', pricing.hours?.length ? pricing.hours.map(hoursInWords).join('; ') : null],
            ['Taken on', pricing.asOf ?? null],
            ['Note', pricing.unconfirmed ? <UnconfirmedPrice key="note" pricing={pricing} /> : null],
          ]}
        />
      ) : (
        <p className="muted">Its price is not known, which does not mean that it is free. Requests are unpriced.</p>
      )}
    </Card>
  );
}

function Code({ id }: { id: string }) {
  const snippets = snippetsFor({ origin: location.origin, apiKey: '$TOLLGATE_KEY', model: id });
  return (
    <Card title="Call it">
      <Tabs
        label="Clients"
        tabs={snippets.map((snippet) => ({
          id: snippet.id,
          name: snippet.name,
          content: <CodeBlock code={snippet.code} name={`${snippet.name} example`} />,
        }))}
      />
    </Card>
  );
}
