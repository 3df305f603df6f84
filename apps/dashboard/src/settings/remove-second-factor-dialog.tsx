import { removeSecondFactor } from '../api/second-factor';
import { Dialog } from '../design/dialog';
import { ProofForm } from './proof-form';
import type { Factors } from './use-factors';

export function RemoveSecondFactorDialog({ factors, onClose }: { factors: Factors; onClose: () => void }) {
  return (
    <Dialog
      open
      onClose={onClose}
      title="Remove the authenticator?"
      description={
        factors.passkeys.length > 0
          ? 'A passkey or a recovery code is asked for beside your password afterwards.'
          : 'Your password alone signs you in afterwards.'
      }
    >
      <ProofForm
        action="Remove it"
        tone="danger"
        factors={factors}
        onClose={onClose}
        onProof={async (proof) => {
          await removeSecondFactor(proof);
          onClose();
        }}
      />
    </Dialog>
  );
}
