import { useState } from 'react';
import { giveOwnKey, type OwnKey, type OwnKeys } from '../api/own-keys';
import { useAction } from '../api/use-action';
import { Checkbox, SecretField, SelectField, TextField } from '../design/field';
import { FormDialog } from '../design/form-dialog';
import { Note } from '../design/note';

/** Takes a key of one of these providers, in the place of the one before, if any. */
export function GiveOwnKeyDialog({
  providers,
  replaced,
  brought,
  onClose,
  onGiven,
}: {
  providers: OwnKeys['providers'];
  /** Null: it is a new one. */
  replaced: OwnKey | null;
  /** All that there are. */
  brought: readonly OwnKey[];
  onClose: () => void;
  onGiven: () => Promise<unknown>;
}) {
  const [provider, setProvider] = useState(providers[0]?.id ?? '');
  const [key, setKey] = useState('');
  const [project, setProject] = useState(replaced?.project ?? '');
  const [chosen, setChosen] = useState<boolean | null>(null);
  const before = keyOf(brought, provider, project);
  const fallsBack = chosen ?? before?.fallsBack ?? false;
  const { baseUrl = '', operated } = providers.find(({ id }) => id === provider) ?? {};
  const action = useAction(async () => {
    // What was not touched stays as it is, whatever this page knew of it.
    const choice = chosen ?? (before ? undefined : false);
    await giveOwnKey({ provider, key: key.trim(), baseUrl, fallsBack: choice, project: project.trim() || undefined });
    await onGiven();
    onClose();
  });
  return (
    <FormDialog
      title={replaced ? `Replace your key of ${keyName(replaced)}` : 'Bring a key of a provider'}
      description={`It is sealed for ${baseUrl}, and nobody is shown it again. Requests go with it within a second.`}
      act={replaced ? 'Replace' : 'Bring'}
      action={action}
      onSubmit={action.run}
      onClose={onClose}
    >
      {!replaced && (
        <SelectField label="Provider" value={provider} onChange={(event) => setProvider(event.target.value)}>
          {providers.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </SelectField>
      )}
      {!replaced && (
        <TextField
          label="Project"
          hint="As its keys say it: they alone go with it. Empty: all keys of your account do."
          autoComplete="off"
          value={project}
          onChange={(event) => setProject(event.target.value)}
        />
      )}
      {before && !replaced && <Note tone="info">{`It takes the place of your key of ${keyName(before)}.`}</Note>}
      <SecretField label="Key" required value={key} onChange={(event) => setKey(event.target.value)} />
      <Checkbox
        label="Where this key is refused or limited, go on with the gateway’s own, at its prices"
        checked={fallsBack}
        onChange={(event) => setChosen(event.target.checked)}
      />
      {fallsBack && operated === false && <Note tone="warn">{nothingToFallBackTo}</Note>}
    </FormDialog>
  );
}

/** Of a key whose provider the operator has no credentials of. */
export const nothingToFallBackTo =
  'The gateway has no key of its own for this provider now. For models that it reaches nowhere else there is nothing to go on with: requests that the provider refuses end with its refusal.';

/** The key of a provider that there is for a project as it was typed; empty: for the whole account. */
function keyOf(brought: readonly OwnKey[], provider: string, project: string): OwnKey | undefined {
  return brought.find((key) => key.provider === provider && (key.project ?? '') === project.trim());
}

/** How one is called among others: each project may have one of the same provider. */
export const keyName = ({ provider, project }: Pick<OwnKey, 'provider' | 'project'>): string =>
  project === undefined ? provider : `${provider} for ${project}`;
