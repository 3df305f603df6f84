import { useState } from 'react';
import { renewRecoveryCodes } from '../api/second-factor';
import { Dialog } from '../design/dialog';
import { ProofForm } from './proof-form';
import { ToldCodes } from './told-codes';

export function RecoveryCodesDialog({ onClose }: { onClose: () => void }) {
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
          onClose={onClose}
          onProof={async (proof) => setCodes((await renewRecoveryCodes(proof)).recoveryCodes)}
        />
      )}
    </Dialog>
  );
}
