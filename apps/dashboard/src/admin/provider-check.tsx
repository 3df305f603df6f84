import { useState } from 'react';
import { checkProvider } from '../api/admin';
import type { ProviderHealth } from '../api/admin';
import { useAction } from '../api/use-action';
import { Badge } from '../design/badge';
import { Button } from '../design/button';
import styles from './admin.module.css';

/**
 * Asks one provider for its models with each of its keys, which costs nothing, and shows in a line what is
 * wrong and what would be right. `withToken`: there is a button that asks for a token, too.
 */
export function ProviderCheck({
  provider: { id, name, configured, needs },
  withToken = false,
}: {
  provider: ProviderHealth;
  withToken?: boolean;
}) {
  const [said, setSaid] = useState<{ ok: boolean; says: string } | null>(null);
  const { run, busy, problem } = useAction(async (token: boolean) => {
    const { checks } = await checkProvider(id, token);
    setSaid(checks[0] ?? null);
  });
  if (!configured) return <span className="muted break">{needs == null ? '–' : `Needs ${needs}`}</span>;
  return (
    <span className={styles.name}>
      <span className={styles.actions}>
        <Button size="small" disabled={busy} aria-label={`Check ${name}`} onClick={() => void run(false)}>
          {busy ? 'Asking…' : 'Check'}
        </Button>
        {withToken && (
          <Button size="small" disabled={busy} onClick={() => void run(true)}>
            Check with a token
          </Button>
        )}
      </span>
      <span role="status">
        {problem !== null && <Badge tone="bad">{problem}</Badge>}
        {problem === null && said && <Badge tone={said.ok ? 'good' : 'bad'}>{said.says}</Badge>}
      </span>
    </span>
  );
}
