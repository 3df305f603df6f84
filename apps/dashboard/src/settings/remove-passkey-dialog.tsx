import { removePasskey } from '../api/passkeys';
import type { Passkey } from '../api/passkeys';
import { Dialog } from '../design/dialog';
import { ProofForm } from './proof-form';
import type { Factors } from './use-factors';

export function RemovePasskeyDialog({
  passkey: { id, name },
  factors,
  onClose,
}: {
  passkey: Passkey;
  factors: Factors;
  onClose: () => void;
}) {
  const isLast = factors.enabledAt === null && factors.passkeys.length === 1;
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Remove the passkey ${name}?`}
      description={
        isLast
          ? 'It is the last one: your password alone signs you in afterwards.'
          : 'It signs you in no more. Your device may go on showing it.'
      }
    >
      <ProofForm
        action="Remove it"
        tone="danger"
        factors={factors}
        onClose={onClose}
        onProof={async (proof) => {
          await removePasskey(id, proof);
          onClose();
        }}
      />
    </Dialog>
  );
}
