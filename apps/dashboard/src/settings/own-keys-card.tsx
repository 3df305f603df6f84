import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { chooseFallBack, fetchOwnKeys, removeOwnKey, type OwnKey, type OwnKeys } from '../api/own-keys';
import { Button } from '../design/button';
import { Card } from '../design/card';
import { ConfirmDialog } from '../design/confirm-dialog';
import { Note } from '../design/note';
import { Loaded } from '../design/states';
import { formatDateTime } from '../format/time';
import { GiveOwnKeyDialog, keyName, nothingToFallBackTo } from './give-own-key-dialog';
import styles from './settings.module.css';

/** What is asked about before it is done. `key` null: it is a new one. */
type Wanted = { act: 'give'; key: OwnKey | null } | { act: 'remove' | 'fall-back'; key: OwnKey };

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
      hint="Requests of your account to models of such a provider go with your key: you pay the provider, and nothing here. Those of a project go with its own, if it has one. With another key in its place they go only where you choose that."
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
              <OwnKeyLine
                key={keyName(key)}
                shown={key}
                taker={providers.find(({ id }) => id === key.provider)}
                canReplace={offered.some(({ id }) => id === key.provider)}
                onWanted={(act) => setWanted({ act, key })}
              />
            ))}
          </div>
        )}
      </Loaded>
      {wanted?.act === 'give' && (
        <GiveOwnKeyDialog
          providers={wanted.key ? offered.filter(({ id }) => id === wanted.key?.provider) : offered}
          replaced={wanted.key}
          brought={keys}
          onClose={close}
          onGiven={() => own.refetch()}
        />
      )}
      {wanted?.act === 'fall-back' && (
        <ConfirmDialog
          open
          onClose={close}
          title={`${wanted.key.fallsBack ? 'Do not fall back' : 'Fall back'} from your key of ${keyName(wanted.key)}?`}
          action={wanted.key.fallsBack ? 'Do not fall back' : 'Fall back'}
          tone="primary"
          onConfirm={async () => {
            await chooseFallBack(wanted.key, !wanted.key.fallsBack);
            await own.refetch();
          }}
        >
          {consequenceOf(
            !wanted.key.fallsBack,
            providers.find(({ id }) => id === wanted.key.provider),
          )}
        </ConfirmDialog>
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

/** What is so when the choice for a key of this provider is made. */
function consequenceOf(fallsBack: boolean, taker: OwnKeys['providers'][number] | undefined): string {
  if (!fallsBack)
    return 'Within a second what the provider refuses the key for is the answer again, and nothing is spent here.';
  if (taker?.operated === false) return nothingToFallBackTo;
  return 'Within a second requests that the provider refuses or limits the key for go on with the gateway’s own, and cost what its prices say, within your budgets.';
}

/** One of them, and what can be done with it. `taker` undefined: its provider takes none any more. */
function OwnKeyLine({
  shown,
  taker,
  canReplace,
  onWanted,
}: {
  shown: OwnKey;
  taker: OwnKeys['providers'][number] | undefined;
  canReplace: boolean;
  onWanted: (act: Wanted['act']) => void;
}) {
  const name = keyName(shown);
  const turned = shown.fallsBack ? 'Do not fall back' : 'Fall back';
  return (
    <div className={styles.key}>
      <div>
        <p>
          <strong>{name}</strong>
          {shown.lastFour === null ? '' : ` …${shown.lastFour}`}
        </p>
        <p className="muted small break">
          By {shown.setBy}, {formatDateTime(shown.setAt)}
        </p>
        {shown.fallsBack && taker?.operated !== false && (
          <p className="muted small">
            Where it is refused or limited, requests go on with the gateway’s key, at its prices.
          </p>
        )}
      </div>
      {shown.fallsBack && taker?.operated === false && <Note tone="warn">{nothingToFallBackTo}</Note>}
      {shown.problem && <Note tone="bad">{shown.problem}</Note>}
      <div className={styles.acts}>
        {canReplace && (
          <Button size="small" aria-label={`Replace the key of ${name}`} onClick={() => onWanted('give')}>
            Replace
          </Button>
        )}
        <Button size="small" aria-label={`${turned} from the key of ${name}`} onClick={() => onWanted('fall-back')}>
          {turned}
        </Button>
        <Button size="small" aria-label={`Remove the key of ${name}`} onClick={() => onWanted('remove')}>
          Remove
        </Button>
      </div>
    </div>
  );
}
