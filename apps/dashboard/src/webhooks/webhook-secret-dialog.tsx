import type { MadeWebhook } from '../api/webhooks';
import { Button } from '../design/button';
import { Dialog, DialogActions } from '../design/dialog';
import { ToldSecret } from '../design/told-secret';
import { useStay } from '../design/use-stay';

/** The only time the secret is told: neither Escape, nor Back, nor a stray press closes it. */
export function WebhookSecretDialog({
  made: { webhook, secret },
  onClose,
}: {
  made: MadeWebhook;
  onClose: () => void;
}) {
  useStay();
  return (
    <Dialog
      open
      sticky
      onClose={onClose}
      title={`The secret of "${webhook.name}"`}
      description="Copy it now and keep it safe: it cannot be shown again."
    >
      <ToldSecret text={secret} label="Copy the secret" />
      <p>
        {webhook.form === 'slack'
          ? 'Slack does not need it. A receiver of your own can check with it that a message comes from this gateway.'
          : 'With it the receiver checks that a delivery comes from this gateway: by its header webhook-signature, as every library of Standard Webhooks does.'}
      </p>
      <DialogActions>
        <Button tone="primary" onClick={onClose}>
          I have copied it
        </Button>
      </DialogActions>
    </Dialog>
  );
}
