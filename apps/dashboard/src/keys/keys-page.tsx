import { useState } from 'react';
import { Button } from '../design/button';
import { Card } from '../design/card';
import { Page } from '../design/page';
import { Empty, Loaded } from '../design/states';
import { useMay } from '../session/session';
import { KeyLayer } from './key-layer';
import type { Layer } from './key-layer';
import { KeysTable } from './keys-table';
import { useKeys } from './use-keys';
import { useMayChangeKey } from './use-may-change-key';

export function KeysPage() {
  const keys = useKeys();
  const [layer, setLayer] = useState<Layer>(null);
  const mayChange = useMayChangeKey();
  const create = useMay('keys:own') && (
    <Button tone="primary" icon="plus" onClick={() => setLayer({ kind: 'create' })}>
      Create a key
    </Button>
  );
  return (
    <Page
      title="Keys"
      hint="A key is what your programs call the gateway with. Treat it like a password."
      actions={create}
    >
      <Card flush>
        <Loaded query={keys}>
          {({ data }) =>
            data.length ? (
              <KeysTable
                keys={data}
                mayChange={mayChange}
                onLogging={(key) => setLayer({ kind: 'logging', key })}
                onRotate={(key) => setLayer({ kind: 'rotate', key })}
                onRevoke={(key) => setLayer({ kind: 'revoke', key })}
              />
            ) : (
              <Empty icon="key" title="You have no key yet" action={create}>
                Give it a name that says which program uses it.
              </Empty>
            )
          }
        </Loaded>
      </Card>
      <KeyLayer layer={layer} onLayer={setLayer} onChanged={() => void keys.refetch()} />
    </Page>
  );
}
