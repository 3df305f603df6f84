import { useState } from 'react';
import { renewRecoveryCodes } from '../api/second-factor';
import { Dialog } from '../design/dialog';
import { ProofForm } from './proof-form';
import { ToldCodes } from './told-codes';
import type { Factors } from './use-factors';

export function RecoveryCodesDialog({ factors, onClose }: { factors: Factors; onClose: () => void }) {
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
