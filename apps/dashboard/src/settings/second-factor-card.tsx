import { useState } from 'react';
import { removeSecondFactor, renewRecoveryCodes } from '../api/second-factor';
import { Button } from '../design/button';
import { Card } from '../design/card';
import { Dialog } from '../design/dialog';
import { Loaded } from '../design/states';
import { formatDate } from '../format/time';
import { ProofForm } from './proof-form';
import { RemoveFactorDialog } from './remove-factor-dialog';
import { SecondFactorDialog } from './second-factor-dialog';
import styles from './settings.module.css';
import { ToldCodes } from './told-codes';
import { useFactors } from './use-factors';
import type { Factors } from './use-factors';

type Layer = 'begin' | 'renew' | 'remove' | null;

export function SecondFactorCard() {
  const factors = useFactors();
  const [layer, setLayer] = useState<Layer>(null);
  const close = () => {
    setLayer(null);
    void factors.refetch();
  };
  return (
    <Card title="Second factor" hint="A code of an authenticator, asked for beside your password.">
      <Loaded query={factors} lines={2}>
        {(told) => (
          <>
            <div className={styles.form}>
              <State factors={told} />
              <div>
                {told.enabledAt === null && <Button onClick={() => setLayer('begin')}>Set up a second factor</Button>}{' '}
                {told.hasAny && <Button onClick={() => setLayer('renew')}>Make new recovery codes</Button>}{' '}
                {told.enabledAt !== null && <Button onClick={() => setLayer('remove')}>Remove it</Button>}
              </div>
            </div>
            {layer === 'begin' && <SecondFactorDialog factors={told} onClose={close} />}
            {layer === 'renew' && <RecoveryCodesDialog factors={told} onClose={close} />}
            {layer === 'remove' && (
              <RemoveFactorDialog
                title="Remove the authenticator?"
                description={
                  told.passkeys.length > 0
                    ? 'A passkey or a recovery code is asked for beside your password afterwards.'
                    : 'Your password alone signs you in afterwards.'
                }
                factors={told}
                remove={removeSecondFactor}
                onClose={close}
              />
            )}
          </>
        )}
      </Loaded>
    </Card>
  );
}

function State({ factors: { enabledAt, hasAny, recoveryCodes } }: { factors: Factors }) {
  if (!hasAny) return null;
  return (
    <p>
      {enabledAt !== null && `On since ${formatDate(enabledAt)}. `}Recovery codes that are left: {recoveryCodes}.
    </p>
  );
}

function RecoveryCodesDialog({ factors, onClose }: { factors: Factors; onClose: () => void }) {
  const [codes, setCodes] = useState<string[] | null>(null);
  return (
    <Dialog
      open
      sticky={codes !== null}
      onClose={onClose}
      title="New recovery codes"
      description="Those that you have stop working."
    >
      {codes ? (
        <ToldCodes codes={codes} onClose={onClose} />
      ) : (
        <ProofForm
          action="Make them"
          factors={factors}
          onClose={onClose}
          onProof={async (proof) => setCodes((await renewRecoveryCodes(proof)).recoveryCodes)}
        />
      )}
    </Dialog>
  );
}
