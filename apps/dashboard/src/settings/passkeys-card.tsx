import { useState } from 'react';
import { type Passkey, removePasskey, renamePasskey } from '../api/second-factor';
import { Badge } from '../design/badge';
import { Button } from '../design/button';
import { Card } from '../design/card';
import { Dialog } from '../design/dialog';
import { TextField } from '../design/field';
import { RenameDialog } from '../design/rename-dialog';
import { Loaded } from '../design/states';
import { formatDate, formatRelative } from '../format/time';
import { useSession } from '../session/session';
import { deviceOf } from './device-of';
import { ProofForm } from './proof-form';
import { RemoveFactorDialog } from './remove-factor-dialog';
import styles from './settings.module.css';
import { ToldCodes } from './told-codes';
import { useFactors } from './use-factors';
import type { Factors } from './use-factors';

const longestName = 60;

/** What lies above the page, if anything. */
type Layer = { kind: 'add' } | { kind: 'rename' | 'remove'; passkey: Passkey } | null;

export function PasskeysCard() {
  const factors = useFactors();
  const { origin = null } = useSession().me.features.passkeys ?? {};
  const [layer, setLayer] = useState<Layer>(null);
  const close = () => {
    setLayer(null);
    void factors.refetch();
  };
  return (
    <Card title="Passkeys" hint="Each signs you in by itself, and is asked for beside your password.">
      <Loaded query={factors} lines={2}>
        {(told) => (
          <>
            <div className={styles.form}>
              {told.passkeys.length > 0 && (
                <ul className={styles.sessions}>
                  {told.passkeys.map((passkey) => (
                    <PasskeyRow key={passkey.id} passkey={passkey} onAct={(kind) => setLayer({ kind, passkey })} />
                  ))}
                </ul>
              )}
              {origin === location.origin ? (
                <Button onClick={() => setLayer({ kind: 'add' })}>Add a passkey</Button>
              ) : (
                <WhyNot origin={origin} />
              )}
            </div>
            {layer?.kind === 'add' && <AddPasskeyDialog factors={told} onClose={close} />}
            {layer?.kind === 'rename' && (
              <RenameDialog
                title={`Rename the passkey ${layer.passkey.name}`}
                description="Here alone: your device goes on showing it by its own."
                name={layer.passkey.name}
                longest={longestName}
                rename={(name) => renamePasskey(layer.passkey.id, name)}
                onClose={close}
              />
            )}
            {layer?.kind === 'remove' && (
              <RemoveFactorDialog
                title={`Remove the passkey ${layer.passkey.name}?`}
                description={withoutPasskey(told)}
                factors={told}
                remove={(proof) => removePasskey(layer.passkey.id, proof)}
                onClose={close}
              />
            )}
          </>
        )}
      </Loaded>
    </Card>
  );
}

function withoutPasskey({ enabledAt, passkeys }: Factors): string {
  const isLast = enabledAt === null && passkeys.length === 1;
  return isLast
    ? 'It is the last one: your password alone signs you in afterwards.'
    : 'It signs you in no more. Your device may go on showing it.';
}

/** Browsers keep a passkey for one name, and want https. */
function WhyNot({ origin }: { origin: string | null }) {
  if (origin === null)
    return (
      <p className="muted small">
        They need https (or localhost) and a name: the address that this gateway is set up with has none of it.
      </p>
    );
  return (
    <p className="muted small">
      They work at <a href={`${origin}/settings`}>{origin}</a> alone.
    </p>
  );
}

function PasskeyRow({ passkey, onAct }: { passkey: Passkey; onAct: (kind: 'rename' | 'remove') => void }) {
  const { name, isSynced, createdAt, lastUsedAt } = passkey;
  return (
    <li>
      <div>
        <div className="break">
          {name} {isSynced && <Badge>synced</Badge>}
        </div>
        <div className="muted small">
          Added on {formatDate(createdAt)},{' '}
          {lastUsedAt === null ? 'not used since' : `last used ${formatRelative(lastUsedAt)}`}
        </div>
      </div>
      <div className={styles.acts}>
        <Button size="small" aria-label={`Rename the passkey ${name}`} onClick={() => onAct('rename')}>
          Rename
        </Button>
        <Button size="small" aria-label={`Remove the passkey ${name}`} onClick={() => onAct('remove')}>
          Remove
        </Button>
      </div>
    </li>
  );
}

/** Adds a passkey: a name and a proof, then the browser asks which device keeps it. */
function AddPasskeyDialog({ factors, onClose }: { factors: Factors; onClose: () => void }) {
  const [name, setName] = useState(() => deviceOf(navigator.userAgent));
  const [codes, setCodes] = useState<string[] | null>(null);
  const told = factors.hasAny ? undefined : 'From now on it, or a recovery code, is asked for beside your password.';
  return (
    <Dialog open sticky={codes !== null} onClose={onClose} title="Add a passkey" description={codes ? undefined : told}>
      {codes ? (
        <ToldCodes codes={codes} onClose={onClose} />
      ) : (
        <ProofForm
          action="Add it"
          factors={factors}
          onClose={onClose}
          onProof={async (proof) => {
            const { addPasskey } = await import('../session/passkey');
            const { recoveryCodes } = await addPasskey(proof, name);
            if (recoveryCodes) setCodes(recoveryCodes);
            else onClose();
          }}
        >
          <TextField
            label="Name"
            hint="What you will know it by."
            value={name}
            maxLength={longestName}
            onChange={(event) => setName(event.target.value)}
          />
        </ProofForm>
      )}
    </Dialog>
  );
}
