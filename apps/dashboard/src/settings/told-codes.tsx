import { Button } from '../design/button';
import { CopyButton } from '../design/copy-button';
import { DialogActions } from '../design/dialog';
import { useStay } from '../design/use-stay';

/** Recovery codes, which are told once. */
export function ToldCodes({ codes, onClose }: { codes: string[]; onClose: () => void }) {
  useStay();
  const text = codes.join('\n');
  return (
    <>
      <p className="muted small">
        Keep these where you find them without your phone. Each signs you in once in the place of a code, and they are
        shown this once. Those that you had before stop working.
      </p>
      <pre>{text}</pre>
      <CopyButton text={text} label="Copy the codes" />
      <DialogActions>
        <Button tone="primary" onClick={onClose}>
          I have kept them
        </Button>
      </DialogActions>
    </>
  );
}
