import { revokeKey } from '../api/keys';
import { ConfirmDialog } from '../design/confirm-dialog';

/** `revoke` is of the owner or of an administrator. */
export function RevokeKeyDialog({
  apiKey,
  onClose,
  onRevoked,
  revoke = revokeKey,
}: {
  apiKey: { id: string; name: string; display: string };
  onClose: () => void;
  onRevoked: () => void;
  revoke?: (id: string) => Promise<unknown>;
}) {
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`Revoke "${apiKey.name}"?`}
      action="Revoke the key"
      onConfirm={async () => {
        await revoke(apiKey.id);
        onRevoked();
      }}
    >
      Programs that use <code>{apiKey.display}</code> are refused at once. This cannot be undone; what was used stays in
      the reports.
    </ConfirmDialog>
  );
}
