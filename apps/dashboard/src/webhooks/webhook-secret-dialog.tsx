import type { MadeWebhook } from '../api/webhooks';
import { Button } from '../design/button';
import { CopyButton } from '../design/copy-button';
import { Dialog, DialogActions } from '../design/dialog';
import { useStay } from '../design/use-stay';
import styles from './webhooks.module.css';

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
      <div className={styles.secret}>
        <code>{secret}</code>
        <CopyButton text={secret} label="Copy the secret" />
      </div>
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
