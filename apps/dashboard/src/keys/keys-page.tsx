import { useState } from 'react';
import type { NewKey, OwnKey } from '../api/keys';
import { Button } from '../design/button';
import { Card } from '../design/card';
import { Page } from '../design/page';
import { Empty, Loaded } from '../design/states';
import { CreateKeyDialog } from './create-key-dialog';
import { KeysTable } from './keys-table';
import { LoggingDialog } from './logging-dialog';
import { NewKeyDialog } from './new-key-dialog';
import { RevokeKeyDialog } from './revoke-key-dialog';
import { RotateKeyDialog } from './rotate-key-dialog';
import { useKeys } from './use-keys';

/** What lies above the page, if anything. */
type Layer =
  | { kind: 'create' }
  | { kind: 'rotate' | 'revoke' | 'logging'; key: OwnKey }
  | { kind: 'made'; made: NewKey }
  | null;

export function KeysPage() {
  const keys = useKeys();
  const [layer, setLayer] = useState<Layer>(null);
  const close = () => setLayer(null);
  const showMade = (made: NewKey) => {
    setLayer({ kind: 'made', made });
    void keys.refetch();
  };
  const create = (
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
      {layer?.kind === 'create' && <CreateKeyDialog onClose={close} onMade={showMade} />}
      {layer?.kind === 'rotate' && <RotateKeyDialog apiKey={layer.key} onClose={close} onMade={showMade} />}
      {layer?.kind === 'revoke' && (
        <RevokeKeyDialog apiKey={layer.key} onClose={close} onRevoked={() => void keys.refetch()} />
      )}
      {layer?.kind === 'logging' && (
        <LoggingDialog apiKey={layer.key} onClose={close} onChanged={() => void keys.refetch()} />
      )}
      {layer?.kind === 'made' && <NewKeyDialog made={layer.made} onClose={close} />}
    </Page>
  );
}
