import { renameKey } from '../api/keys';
import { RenameDialog } from '../design/rename-dialog';

const longestName = 100;

/** `rename` is of the owner or of an administrator. */
export function RenameKeyDialog({
  apiKey,
  onClose,
  onRenamed,
  rename = renameKey,
}: {
  apiKey: { id: string; name: string };
  onClose: () => void;
  onRenamed: () => void;
  rename?: (id: string, name: string) => Promise<unknown>;
}) {
  return (
    <RenameDialog
      title={`Rename "${apiKey.name}"`}
      description="Programs that use it go on. What it used before is told under the new name, too."
      name={apiKey.name}
      longest={longestName}
      rename={async (name) => {
        await rename(apiKey.id, name);
        onRenamed();
      }}
      onClose={onClose}
    />
  );
}
