import { responseCacheProvider } from '@tollgate/contracts';
import { useEffect, useState } from 'react';
import { NavigationType, useLocation, useNavigationType } from 'react-router';
import { SelectField, TextField } from '../design/field';
import { useCatalog } from '../models/use-catalog';
import { responseCacheName } from './provider-name';
import type { FilterName, Filters } from './request-filters';
import styles from './requests.module.css';

const settleMs = 400;

/**
 * `keys` and `accounts` are the choices there are: id and name. `whoseOnly`: what is shown has nothing else
 * to choose by.
 */
export function FilterBar({
  filters,
  keys,
  accounts,
  whoseOnly = false,
  onChange,
}: {
  filters: Filters;
  keys: { id: string; name: string }[];
  accounts?: { id: string; name: string }[] | undefined;
  whoseOnly?: boolean;
  onChange: (name: FilterName, value: string | null) => void;
}) {
  const catalog = useCatalog();
  const models = catalog.data?.models ?? [];
  const providers: [string, string][] = [
    ...new Map(models.map(({ provider, providerName }) => [provider, providerName])),
    [responseCacheProvider, responseCacheName],
  ];
  const select = (name: FilterName, label: string, options: (readonly [string, string])[]) => (
    <SelectField
      label={label}
      value={filters[name] ?? ''}
      onChange={(event) => onChange(name, event.target.value || null)}
    >
      <option value="">All</option>
      {options.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </SelectField>
  );
  return (
    <div className={styles.filters} role="search" aria-label="Filter requests">
      {accounts &&
        select(
          'accountId',
          'Account',
          accounts.map(({ id, name }) => [id, name]),
        )}
      {keys.length > 0 &&
        select(
          'keyId',
          'Key',
          keys.map(({ id, name }) => [id, name]),
        )}
      {!whoseOnly && (
        <>
          {select(
            'model',
            'Model',
            models.map(({ id }) => [id, id]),
          )}
          {select('provider', 'Provider', providers)}
          {select('state', 'State', [
            ['completed', 'Completed'],
            ['failed', 'Failed'],
            ['cancelled', 'Cancelled'],
          ])}
          <SettledField
            label="Status"
            inputMode="numeric"
            placeholder="429"
            value={filters.status ?? ''}
            onSettled={(value) => onChange('status', value || null)}
          />
          <SettledField
            label="Request id"
            placeholder="The whole id"
            value={filters.requestId ?? ''}
            onSettled={(value) => onChange('requestId', value || null)}
          />
        </>
      )}
    </div>
  );
}

/** Tells its text once nobody has typed for a moment. "Back" gives it the text of before. */
function SettledField({
  value,
  onSettled,
  ...rest
}: {
  label: string;
  value: string;
  placeholder: string;
  inputMode?: 'numeric';
  onSettled: (value: string) => void;
}) {
  const [draft, setDraft] = useState(value);
  const { key } = useLocation();
  const cameBack = useNavigationType() === NavigationType.Pop;
  const [seen, setSeen] = useState(key);
  if (key !== seen) {
    setSeen(key);
    if (cameBack) setDraft(value);
  }
  useEffect(() => {
    if (draft.trim() === value) return;
    const timer = setTimeout(() => onSettled(draft.trim()), settleMs);
    return () => clearTimeout(timer);
  }, [draft, value, onSettled]);
  return <TextField {...rest} value={draft} onChange={(event) => setDraft(event.target.value)} />;
}
