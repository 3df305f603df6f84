import type { ReactElement } from 'react';
import type { OwnKey } from '../api/keys';
import { KeyLayer } from './key-layer';

type Closed = ReactElement<{ onClose: () => void }> | null;

describe('what lies above a page of keys', () => {
  const key = { id: 'key', name: 'ci' } as OwnKey;

  it.each(['create', 'rename', 'rotate', 'revoke', 'logging'] as const)(
    'has the keys read anew when it is closed (%s): what had no answer may be done',
    (kind) => {
      const [onLayer, onChanged] = [jest.fn(), jest.fn()];
      const drawn: Closed = KeyLayer({ layer: kind === 'create' ? { kind } : { kind, key }, onLayer, onChanged });
      drawn?.props.onClose();
      expect(onLayer).toHaveBeenCalledWith(null);
      expect(onChanged).toHaveBeenCalledTimes(1);
    },
  );
});
