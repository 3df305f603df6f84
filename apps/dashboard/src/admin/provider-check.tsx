import { useState } from 'react';
import { checkProvider } from '../api/admin';
import type { ProviderHealth } from '../api/admin';
import { useAction } from '../api/use-action';
import { Badge } from '../design/badge';
import { Button } from '../design/button';
import styles from './admin.module.css';

/**
 * Asks one provider for its models and one token, and shows in a line what is wrong and what would be right.
 */
export function ProviderCheck({ provider: { id, name } }: { provider: ProviderHealth }) {
  const [said, setSaid] = useState<{ ok: boolean; says: string } | null>(null);
  const { run, busy, problem } = useAction(async () => {
    const { checks } = await checkProvider(id);
    setSaid(checks[0] ?? null);
  });
  return (
    <span className={styles.name}>
      <Button size="small" disabled={busy} aria-label={`Check ${name}`} onClick={() => void run()}>
        {busy ? 'Asking…' : 'Check'}
      </Button>
      <span role="status">
        {problem !== null && <Badge tone="bad">{problem}</Badge>}
        {problem === null && said && <Badge tone={said.ok ? 'good' : 'bad'}>{said.says}</Badge>}
      </span>
    </span>
  );
}
