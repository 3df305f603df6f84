import { useState } from 'react';
import { giveKey, setProvider } from '../api/live-providers';
import { useAction } from '../api/use-action';
import { SelectField, TextField } from '../design/field';
import { FormDialog } from '../design/form-dialog';
import { usualKey } from './give-key-dialog';

/** What people call what a server speaks. */
const formats = {
  'openai-chat': 'OpenAI’s chat completions',
  'openai-responses': 'OpenAI’s responses',
  'anthropic-messages': 'Anthropic’s messages',
} as const;

/** Sets a provider of the operator's own, with its key. */
export function AddProviderDialog({ onClose, onAdded }: { onClose: () => void; onAdded: () => Promise<unknown> }) {
  const [id, setId] = useState('');
  const [baseUrl, setBaseUrl] = useState('');
  const [dialect, setDialect] = useState<string>('openai-chat');
  const [key, setKey] = useState('');
  /** The id of what this dialog added already. */
  const [added, setAdded] = useState<string | null>(null);
  const action = useAction(async () => {
    const given = key.trim();
    const keys = given === '' ? [] : [usualKey];
    // What was added is not added once more where its key alone was refused.
    const wish = { baseUrl: baseUrl.trim(), dialect, keys, onlyNew: added !== id.trim() };
    const { provider } = await setProvider(id.trim(), wish);
    setAdded(id.trim());
    if (given !== '') await giveKey(id.trim(), usualKey, given, provider.baseUrl ?? undefined);
    await onAdded();
    onClose();
  });
  return (
    <FormDialog
      title="Add a provider"
      description="A server of yours, or a service that speaks like one. Its models are read from its own list. It holds within seconds, without a restart."
      act="Add"
      action={action}
      onClose={onClose}
    >
      <TextField
        label="Id"
        required
        pattern="[a-z0-9][a-z0-9\-]*"
        title="Lower-case letters, digits and dashes"
        hint="Names of its models begin with it, such as acme/small."
        autoComplete="off"
        maxLength={64}
        value={id}
        onChange={(event) => setId(event.target.value)}
      />
      <TextField
        label="Address"
        required
        type="url"
        placeholder="https://models.example.com/v1"
        hint="On the internet, and with https, unless PROVIDER_PRIVATE_HOSTS of the gateway names its host."
        autoComplete="off"
        value={baseUrl}
        onChange={(event) => setBaseUrl(event.target.value)}
      />
      <SelectField label="What it speaks" value={dialect} onChange={(event) => setDialect(event.target.value)}>
        {Object.entries(formats).map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </SelectField>
      <TextField
        label="Key"
        optional
        type="password"
        hint="Sealed for this address alone; nobody is shown it again. Leave it empty for a server that needs none."
        autoComplete="new-password"
        value={key}
        onChange={(event) => setKey(event.target.value)}
      />
    </FormDialog>
  );
}
