import { useMemo, useState } from 'react';
import type { ListedModel } from '../api/catalog';
import { useCatalog } from '../api/catalog';
import { Badge } from '../design/badge';
import { Button } from '../design/button';
import { Card } from '../design/card';
import { SearchField } from '../design/field';
import { Empty, Loaded } from '../design/states';
import { formatCount } from '../format/number';
import { capabilitiesOf, contextOf, priceOf } from '../models/model-facts';
import styles from './landing-page.module.css';

const shownAtFirst = 12;

/** What can be called right now. */
export function ModelList() {
  const catalog = useCatalog();
  const [wanted, setWanted] = useState('');
  return (
    <section className={styles.models} aria-labelledby="models">
      <div className={styles.modelsHead}>
        <div>
          <h2 id="models">Models, live</h2>
          <p className="muted">
            {catalog.data
              ? `${formatCount(catalog.data.models.filter(({ available }) => available).length)} models answer right now${simulatedPart(catalog.data.models)}. Prices in US dollars per million tokens.`
              : 'Prices in US dollars per million tokens.'}
          </p>
        </div>
        <SearchField label="Search models" value={wanted} onChange={(event) => setWanted(event.target.value)} />
      </div>
      <Card flush>
        <Loaded query={catalog} lines={8}>
          {({ models }) => <Rows models={models} wanted={wanted} />}
        </Loaded>
      </Card>
    </section>
  );
}

/** What is invented is said: this gateway has no key of these providers. */
function simulatedPart(models: ListedModel[]): string {
  const live = models.filter(({ available }) => available);
  const simulated = live.filter((model) => model.simulated);
  if (!simulated.length) return '';
  const which = simulated.length === live.length ? 'simulated' : `${formatCount(simulated.length)} of them simulated`;
  return `, ${which}: this gateway has no key of their providers yet`;
}

function Rows({ models, wanted }: { models: ListedModel[]; wanted: string }) {
  const [all, setAll] = useState(false);
  const found = useMemo(() => {
    const words = wanted.toLowerCase().split(/\s+/);
    return models.filter(
      ({ available, id, name, providerName }) =>
        available && words.every((word) => `${id} ${name} ${providerName}`.toLowerCase().includes(word)),
    );
  }, [models, wanted]);
  if (!found.length)
    return (
      <Empty icon="cube" title={wanted ? 'No model has that name' : 'No model is available yet'}>
        {wanted ? 'Try a shorter word.' : 'The operator has not set the credentials of a provider.'}
      </Empty>
    );
  const shown = all || wanted ? found : found.slice(0, shownAtFirst);
  return (
    <div>
      <ul className={styles.list}>
        {shown.map((model) => (
          <li key={model.id} className={styles.row}>
            <div className={styles.name}>
              <strong>{model.name}</strong>
              <code className="muted break">{model.id}</code>
            </div>
            <div className={styles.badges}>
              {capabilitiesOf(model).map((text) => (
                <Badge key={text}>{text}</Badge>
              ))}
            </div>
            <div className={styles.figure}>
              <span className="muted small">Context</span> <span className="number">{contextOf(model)}</span>
            </div>
            <div className={styles.figure}>
              <span className="muted small">In / out</span>{' '}
              <span className="number">
                {model.pricing ? `${priceOf(model.pricing.input)} / ${priceOf(model.pricing.output)}` : 'Price unknown'}
              </span>
            </div>
          </li>
        ))}
      </ul>
      {shown.length < found.length && (
        <div className={styles.more}>
          <Button tone="quiet" icon="chevronDown" onClick={() => setAll(true)}>
            Show all {formatCount(found.length)}
          </Button>
        </div>
      )}
    </div>
  );
}
