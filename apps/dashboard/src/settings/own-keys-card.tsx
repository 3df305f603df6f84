import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { fetchOwnKeys, removeOwnKey, type OwnKey } from '../api/own-keys';
import { Button } from '../design/button';
import { Card } from '../design/card';
import { ConfirmDialog } from '../design/confirm-dialog';
import { Note } from '../design/note';
import { Loaded } from '../design/states';
import { formatDateTime } from '../format/time';
import { GiveOwnKeyDialog, keyName } from './give-own-key-dialog';
import styles from './settings.module.css';

/** What is asked about before it is done. `key` null: it is a new one. */
type Wanted = { act: 'give'; key: OwnKey | null } | { act: 'remove'; key: OwnKey };

const orNone = 'Where there is none, the provider’s models are not available any more: requests for them are refused.';

/** Keys of providers that the account of who is signed in brings. */
export function OwnKeysCard() {
  const own = useQuery({ queryKey: ['own-keys'], queryFn: fetchOwnKeys });
  const [wanted, setWanted] = useState<Wanted | null>(null);
  const close = () => setWanted(null);
  const { keys: ofAccount = [], projectKeys = [], providers = [], canSeal = false } = own.data ?? {};
  const keys: readonly OwnKey[] = [...ofAccount, ...projectKeys];
  const offered = canSeal ? providers : [];
  // Where none are taken nobody has to read that.
  if (own.isPending || (own.isSuccess && offered.length + keys.length === 0)) return null;
  return (
    <Card
      title="Own keys of providers"
      hint="Requests of your account to models of such a provider go with your key: you pay the provider, and nothing here. Those of a project go with its own, if it has one. They never go with another key in its place."
      actions={
        offered.length > 0 && (
          <Button size="small" onClick={() => setWanted({ act: 'give', key: null })}>
            Bring a key
          </Button>
        )
      }
    >
      <Loaded query={own} lines={2}>
        {() => (
          <div className={styles.form}>
            {keys.length === 0 && <p className="muted">None was brought.</p>}
            {keys.map((key) => (
              <div key={keyName(key)}>
                <p>
                  <strong>{keyName(key)}</strong>
                  {key.lastFour === null ? '' : ` …${key.lastFour}`}, by {key.setBy}, {formatDateTime(key.setAt)}
                </p>
                {key.problem && <Note tone="bad">{key.problem}</Note>}
                {offered.some(({ id }) => id === key.provider) && (
                  <Button
                    size="small"
                    aria-label={`Replace the key of ${keyName(key)}`}
                    onClick={() => setWanted({ act: 'give', key })}
                  >
                    Replace
                  </Button>
                )}
                <Button
                  size="small"
                  aria-label={`Remove the key of ${keyName(key)}`}
                  onClick={() => setWanted({ act: 'remove', key })}
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
          providers={wanted.key ? offered.filter(({ id }) => id === wanted.key?.provider) : offered}
          replaced={wanted.key}
          onClose={close}
          onGiven={() => own.refetch()}
        />
      )}
      {wanted?.act === 'remove' && (
        <ConfirmDialog
          open
          onClose={close}
          title={`Remove your key of ${keyName(wanted.key)}?`}
          action="Remove"
          onConfirm={async () => {
            await removeOwnKey(wanted.key.provider, wanted.key.project);
            await own.refetch();
          }}
        >
          {wanted.key.project === undefined
            ? `Within a second requests go with the gateway’s own key again, and cost what its prices say. ${orNone}`
            : `Within a second requests of the project go with the key of your account, or else with the gateway’s own, at its prices. ${orNone}`}
        </ConfirmDialog>
      )}
    </Card>
  );
}
