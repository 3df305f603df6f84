import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { fetchOwnKeys, removeOwnKey } from '../api/own-keys';
import { Button } from '../design/button';
import { Card } from '../design/card';
import { ConfirmDialog } from '../design/confirm-dialog';
import { Note } from '../design/note';
import { Loaded } from '../design/states';
import { formatDateTime } from '../format/time';
import { GiveOwnKeyDialog } from './give-own-key-dialog';
import styles from './settings.module.css';

/** What is asked about before it is done. `provider` null: which one is asked for, too. */
interface Wanted {
  act: 'give' | 'remove';
  provider: string | null;
}

/** Keys of providers that the account of who is signed in brings. */
export function OwnKeysCard() {
  const own = useQuery({ queryKey: ['own-keys'], queryFn: fetchOwnKeys });
  const [wanted, setWanted] = useState<Wanted | null>(null);
  const close = () => setWanted(null);
  const { keys = [], providers = [], canSeal = false } = own.data ?? {};
  const offered = canSeal ? providers : [];
  const named = wanted?.provider ?? null;
  // Most gateways take none: nobody has to read that.
  if (own.isPending || (own.isSuccess && offered.length + keys.length === 0)) return null;
  return (
    <Card
      title="Own keys of providers"
      hint="Requests of your account to models of such a provider go with your key: you pay the provider, and nothing here. They never go with another key in its place."
      actions={
        offered.length > 0 && (
          <Button size="small" onClick={() => setWanted({ act: 'give', provider: null })}>
            Bring a key
          </Button>
        )
      }
    >
      <Loaded query={own} lines={2}>
        {() => (
          <div className={styles.form}>
            {keys.length === 0 && <p className="muted">None was brought.</p>}
            {keys.map(({ provider, lastFour, setBy, setAt, problem }) => (
              <div key={provider}>
                <p>
                  <strong>{provider}</strong>
                  {lastFour === null ? '' : ` …${lastFour}`}, by {setBy}, {formatDateTime(setAt)}
                </p>
                {problem && <Note tone="bad">{problem}</Note>}
                {offered.some(({ id }) => id === provider) && (
                  <Button
                    size="small"
                    aria-label={`Replace the key of ${provider}`}
                    onClick={() => setWanted({ act: 'give', provider })}
                  >
                    Replace
                  </Button>
                )}
                <Button
                  size="small"
                  aria-label={`Remove the key of ${provider}`}
                  onClick={() => setWanted({ act: 'remove', provider })}
                >
                  Remove
                </Button>
              </div>
            ))}
          </div>
        )}
      </Loaded>
      {wanted?.act === 'give' && (
        <GiveOwnKeyDialog
          providers={named === null ? offered : offered.filter(({ id }) => id === named)}
          isNew={named === null}
          onClose={close}
          onGiven={() => own.refetch()}
        />
      )}
      {wanted?.act === 'remove' && named !== null && (
        <ConfirmDialog
          open
          onClose={close}
          title={`Remove your key of ${named}?`}
          action="Remove"
          onConfirm={async () => {
            await removeOwnKey(named);
            await own.refetch();
          }}
        >
          Within a second requests go with the gateway’s own key again, and cost what its prices say.
        </ConfirmDialog>
      )}
    </Card>
  );
}
