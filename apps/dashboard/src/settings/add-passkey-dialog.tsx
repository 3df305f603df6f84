import { useState } from 'react';
import { TextField } from '../design/field';
import { Dialog } from '../design/dialog';
import { deviceOf } from './device-of';
import { ProofForm } from './proof-form';
import { ToldCodes } from './told-codes';
import type { Factors } from './use-factors';

export const longestName = 60;

/** Adds a passkey: a name and a proof, then the browser asks which device keeps it. */
export function AddPasskeyDialog({ factors, onClose }: { factors: Factors; onClose: () => void }) {
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
