import type { NewKey, OwnKey } from '../api/keys';
import { CreateKeyDialog } from './create-key-dialog';
import { LoggingDialog } from './logging-dialog';
import { NewKeyDialog } from './new-key-dialog';
import { RevokeKeyDialog } from './revoke-key-dialog';
import { RotateKeyDialog } from './rotate-key-dialog';

/** What lies above a page of keys, if anything. */
export type Layer =
  | { kind: 'create' }
  | { kind: 'rotate' | 'revoke' | 'logging'; key: OwnKey }
  | { kind: 'made'; made: NewKey }
  | null;

/** The dialog that is open. `onChanged`: something is other than before. */
export function KeyLayer({
  layer,
  onLayer,
  onChanged,
}: {
  layer: Layer;
  onLayer: (layer: Layer) => void;
  onChanged: () => void;
}) {
  const close = () => onLayer(null);
  const showMade = (made: NewKey) => {
    onLayer({ kind: 'made', made });
    onChanged();
  };
  switch (layer?.kind) {
    case 'create':
      return <CreateKeyDialog onClose={close} onMade={showMade} />;
    case 'rotate':
      return <RotateKeyDialog apiKey={layer.key} onClose={close} onMade={showMade} />;
    case 'revoke':
      return <RevokeKeyDialog apiKey={layer.key} onClose={close} onRevoked={onChanged} />;
    case 'logging':
      return <LoggingDialog apiKey={layer.key} onClose={close} onChanged={onChanged} />;
    case 'made':
      return <NewKeyDialog made={layer.made} onClose={close} />;
    default:
      return null;
  }
}
