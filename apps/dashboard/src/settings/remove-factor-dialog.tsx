import type { FactorProof } from '../api/second-factor';
import { Dialog } from '../design/dialog';
import { ProofForm } from './proof-form';
import type { Factors } from './use-factors';

/** `description`: how one signs in afterwards. */
export function RemoveFactorDialog({
  title,
  description,
  factors,
  remove,
  onClose,
}: {
  title: string;
  description: string;
  factors: Factors;
  remove: (proof: FactorProof) => Promise<unknown>;
  onClose: () => void;
}) {
  return (
    <Dialog open onClose={onClose} title={title} description={description}>
      <ProofForm
        action="Remove it"
        tone="danger"
        factors={factors}
        onClose={onClose}
        onProof={async (proof) => {
          await remove(proof);
          onClose();
        }}
      />
    </Dialog>
  );
}
