import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { fetchLiveProviders, removeGivenKey, removeProvider } from '../api/live-providers';
import type { GivenKey } from '../api/live-providers';
import { Button } from '../design/button';
import { Card } from '../design/card';
import { ConfirmDialog } from '../design/confirm-dialog';
import { Note } from '../design/note';
import { Loaded } from '../design/states';
import { formatDateTime } from '../format/time';
import styles from './admin.module.css';
import { GiveKeyDialog } from './give-key-dialog';

/** What is asked about before it is done. `name` null: a new key; of `remove`: the provider. */
interface Wanted {
  act: 'give' | 'remove';
  name: string | null;
}

/** Keys of a provider that were given without the environment, and the provider itself where it was set so. */
export function ProviderKeysCard({ provider }: { provider: string }) {
  const live = useQuery({ queryKey: ['admin', 'live-providers'], queryFn: fetchLiveProviders });
  const [wanted, setWanted] = useState<Wanted | null>(null);
  const navigate = useNavigate();
  const close = () => setWanted(null);
  const baseUrl = live.data?.providers.find((each) => each.provider === provider)?.baseUrl ?? undefined;
  const again = () => live.refetch();
  return (
    <Card
      title="Given keys"
      hint="Beside those of the environment. They are sealed; nobody is shown one again."
      actions={
        <Button size="small" onClick={() => setWanted({ act: 'give', name: null })}>
          Give a key
        </Button>
      }
    >
      <Loaded query={live} lines={2}>
        {({ sealing, providers }) => {
          const known = providers.find((each) => each.provider === provider);
          return (
            <div className={styles.form}>
              {sealing === null && (
                <Note tone="warn">No inference instance has a TOLLGATE_KEY_ENCRYPTION_KEY: no key can be given.</Note>
              )}
              {known?.problem && <Note tone="bad">{known.problem}</Note>}
              {known?.baseUrl && <code className="break">{known.baseUrl}</code>}
              {known?.keys.map((key) => (
                <KeyLine key={key.name} given={key} onWanted={setWanted} />
              ))}
              {known === undefined && <p className="muted">None was given.</p>}
              {known && (
                <span className={styles.actions}>
                  <Button size="small" tone="danger" onClick={() => setWanted({ act: 'remove', name: null })}>
                    {known.builtIn ? 'Remove what was set' : 'Remove the provider'}
                  </Button>
                </span>
              )}
            </div>
          );
        }}
      </Loaded>
      {wanted?.act === 'give' && (
        <GiveKeyDialog provider={provider} baseUrl={baseUrl} named={wanted.name} onClose={close} onGiven={again} />
      )}
      {wanted?.act === 'remove' && (
        <ConfirmDialog
          open
          onClose={close}
          title={wanted.name === null ? `Remove ${provider}?` : `Remove the key ${wanted.name} of ${provider}?`}
          action="Remove"
          onConfirm={async () => {
            if (wanted.name !== null) return void (await removeGivenKey(provider, wanted.name).then(again));
            await removeProvider(provider);
            await again();
            await navigate('/admin/providers');
          }}
        >
          <p>
            {wanted.name === null
              ? 'It leaves the settings, and its keys the database, for good. The history keeps what was set, and no key.'
              : 'It is gone for good, and a roll-back brings none back. Without another one the provider is set aside.'}
          </p>
        </ConfirmDialog>
      )}
    </Card>
  );
}

function KeyLine({
  given: { name, lastFour, setAt, setBy, problem },
  onWanted,
}: {
  given: GivenKey;
  onWanted: (wanted: Wanted) => void;
}) {
  return (
    <div className={styles.name}>
      <span>
        <code>{name}</code>
        {lastFour === null ? '' : ` …${lastFour}`}, by {setBy}, {formatDateTime(setAt)}
      </span>
      {problem && <Note tone="bad">{problem}</Note>}
      <span className={styles.actions}>
        <Button size="small" aria-label={`Replace ${name}`} onClick={() => onWanted({ act: 'give', name })}>
          Replace
        </Button>
        <Button size="small" aria-label={`Remove ${name}`} onClick={() => onWanted({ act: 'remove', name })}>
          Remove
        </Button>
      </span>
    </div>
  );
}
