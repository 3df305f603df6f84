import { removeSecondFactor } from '../api/second-factor';
import { Dialog } from '../design/dialog';
import { ProofForm } from './proof-form';

export function RemoveSecondFactorDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog
      open
      onClose={onClose}
      title="Remove the second factor?"
      description="Your password alone signs you in afterwards."
    >
      <ProofForm
        action="Remove it"
        tone="danger"
        onClose={onClose}
        onProof={async (proof) => {
          await removeSecondFactor(proof);
          onClose();
        }}
      />
    </Dialog>
  );
}
