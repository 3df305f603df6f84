import type { KeySummary } from '@tollgate/contracts/accounts';
import { Button } from '../design/button';
import { CodeBlock } from '../design/code-block';
import { Dialog, DialogActions } from '../design/dialog';
import { Note } from '../design/note';
import { Skeleton } from '../design/states';
import { Tabs } from '../design/tabs';
import { ToldSecret } from '../design/told-secret';
import { useStay } from '../design/use-stay';
import { availableTo, exampleModel } from '../models/preferred-model';
import { useCatalog } from '../api/catalog';
import { snippetsFor } from './snippets-for';

/** The only time a key is told: neither Escape, nor Back, nor a stray press closes it. */
export function NewKeyDialog({
  made: { apiKey, key },
  onClose,
}: {
  made: {
    apiKey: string;
    key: Pick<KeySummary, 'name' | 'accountStatus' | 'models' | 'ownKeyProviders'>;
  };
  onClose: () => void;
}) {
  useStay();
  const catalog = useCatalog();
  const model = exampleModel(availableTo(key, catalog.data?.models ?? []), key.models);
  const snippets = snippetsFor({ origin: location.origin, apiKey, model });
  return (
    <Dialog
      open
      wide
      sticky
      onClose={onClose}
      title={`"${key.name}" is ready`}
      description="Copy the key now and keep it safe: it cannot be shown again."
    >
      <ToldSecret text={apiKey} label="Copy the key" />
      {key.accountStatus === 'pending' && (
        <Note tone="warn">
          It is refused (403) until your request for access is approved, and works from that moment on.
        </Note>
      )}
      {catalog.isPending ? (
        <Skeleton lines={8} />
      ) : (
        <Tabs
          label="A first request with it"
          tabs={snippets.map(({ id, name, code }) => ({
            id,
            name,
            content: <CodeBlock code={code} name={`${name} example`} tall />,
          }))}
        />
      )}
      <DialogActions>
        <Button tone="primary" onClick={onClose}>
          I have copied it
        </Button>
      </DialogActions>
    </Dialog>
  );
}
