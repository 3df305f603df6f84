import { snippetsFor } from '../keys/snippets-for';
import { CodeBlock } from '../design/code-block';
import { Tabs } from '../design/tabs';
import { preferredModel, usualModel } from '../models/preferred-model';
import { useCatalog } from '../models/use-catalog';
import styles from './landing-page.module.css';

export function Snippets() {
  const model = preferredModel(useCatalog().data?.models ?? []) ?? usualModel;
  const snippets = snippetsFor({ origin: location.origin, apiKey: '$TOLLGATE_KEY', model });
  return (
    <div className={styles.snippets}>
      <Tabs
        label="Examples"
        tabs={snippets
          .filter(({ id }) => id !== 'ai-sdk')
          .map(({ id, name, code }) => ({ id, name, content: <CodeBlock code={code} name={`${name} example`} /> }))}
      />
    </div>
  );
}
