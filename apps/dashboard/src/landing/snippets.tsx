import { snippetsFor } from '../keys/snippets-for';
import { CodeBlock } from '../design/code-block';
import { Tabs } from '../design/tabs';
import styles from './landing-page.module.css';

export function Snippets() {
  const snippets = snippetsFor({ origin: location.origin, apiKey: '$TOLLGATE_KEY', model: 'openai/gpt-5.4-mini' });
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
