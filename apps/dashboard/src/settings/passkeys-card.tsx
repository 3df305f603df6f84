import { useState } from 'react';
import { removePasskey } from '../api/passkeys';
import type { Passkey } from '../api/passkeys';
import { Badge } from '../design/badge';
import { Button } from '../design/button';
import { Card } from '../design/card';
import { Loaded } from '../design/states';
import { formatDate, formatRelative } from '../format/time';
import { useSession } from '../session/session';
import { AddPasskeyDialog } from './add-passkey-dialog';
import { RemoveFactorDialog } from './remove-factor-dialog';
import styles from './settings.module.css';
import { useFactors } from './use-factors';
import type { Factors } from './use-factors';

export function PasskeysCard() {
  const factors = useFactors();
  const { origin = null } = useSession().me.features.passkeys ?? {};
  const [layer, setLayer] = useState<'add' | Passkey | null>(null);
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
                    <PasskeyRow key={passkey.id} passkey={passkey} onRemove={() => setLayer(passkey)} />
                  ))}
                </ul>
              )}
              {origin === location.origin ? (
                <Button onClick={() => setLayer('add')}>Add a passkey</Button>
              ) : (
                <WhyNot origin={origin} />
              )}
            </div>
            {layer === 'add' && <AddPasskeyDialog factors={told} onClose={close} />}
            {layer !== null && layer !== 'add' && (
              <RemoveFactorDialog
                title={`Remove the passkey ${layer.name}?`}
                description={withoutPasskey(told)}
                factors={told}
                remove={(proof) => removePasskey(layer.id, proof)}
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

function PasskeyRow({ passkey, onRemove }: { passkey: Passkey; onRemove: () => void }) {
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
      <Button size="small" aria-label={`Remove the passkey ${name}`} onClick={onRemove}>
        Remove
      </Button>
    </li>
  );
}
