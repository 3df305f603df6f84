import { responseCacheProvider } from '@tollgate/contracts/metering';
import { useEffect, useState } from 'react';
import { Button } from '../design/button';
import { SelectField, TextField } from '../design/field';
import { Menu } from '../design/menu';
import { useCatalog } from '../api/catalog';
import { useMay } from '../session/session';
import { responseCacheName, surfaceNamesForPeople } from './names';
import { filterNames } from './request-filters';
import type { FilterName, Filters } from './request-filters';
import styles from './requests.module.css';

const settleMs = 400;

/** Filters that are in sight once they are set, or chosen from a list. */
const further = {
  surface: { label: 'Format', placeholder: '' },
  endUser: { label: 'End user', placeholder: 'The whole name' },
  session: { label: 'Session', placeholder: 'The whole name' },
  agent: { label: 'Agent', placeholder: 'codex' },
  tag: { label: 'Tag', placeholder: 'team=search' },
  said: { label: 'Words in it', placeholder: 'Of what is logged' },
  error: { label: 'Error', placeholder: 'timeout' },
  atLeastMs: { label: 'Took at least (ms)', placeholder: '10000' },
} as const;
type Further = keyof typeof further;
const furtherNames = Object.keys(further) as Further[];

/** What each part of the page can be narrowed by. */
const usable: Record<'asked' | 'failures' | 'refused', readonly FilterName[]> = {
  asked: filterNames,
  failures: ['accountId', 'keyId', 'model', 'provider'],
  refused: ['accountId', 'keyId'],
};

/** `keys` and `accounts` are the choices there are: id and name. */
export function FilterBar({
  filters,
  keys,
  accounts,
  part,
  onChange,
}: {
  filters: Filters;
  keys: { id: string; name: string }[];
  accounts?: { id: string; name: string }[] | undefined;
  part: keyof typeof usable;
  onChange: (changes: Record<string, string | null>) => void;
}) {
  const [opened, setOpened] = useState<readonly Further[]>([]);
  const models = useCatalog().data?.models ?? [];
  const providers: [string, string][] = [
    ...new Map(models.map(({ provider, providerName }) => [provider, providerName])),
    [responseCacheProvider, responseCacheName],
  ];
  const can = (name: FilterName) => usable[part].includes(name);
  const isShown = (name: Further) => filters[name] !== undefined || opened.includes(name);
  const select = (name: FilterName, label: string, options: (readonly [string, string])[]) =>
    can(name) && (
      <SelectField
        key={name}
        label={label}
        value={filters[name] ?? ''}
        onChange={(event) => onChange({ [name]: event.target.value || null })}
      >
        <option value="">All</option>
        {options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </SelectField>
    );
  const mayRead = useMay('texts:read');
  // Of others nothing is searched: who reads what they said is written down.
  const hidden = furtherNames.filter((name) => !isShown(name) && !(name === 'said' && (accounts || !mayRead)));
  const isNarrowed = usable[part].some((name) => filters[name] !== undefined);
  return (
    <div className={styles.filters} role="search" aria-label="Filter requests">
      {accounts &&
        select(
          'accountId',
          'Account',
          accounts.map(({ id, name }) => [id, name]),
        )}
      {(accounts === undefined || keys.length > 0) &&
        select(
          'keyId',
          'Key',
          keys.map(({ id, name }) => [id, name]),
        )}
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
      {can('status') && (
        <SettledField
          label="Status"
          inputMode="numeric"
          placeholder="429"
          value={filters.status ?? ''}
          onSettled={(value) => onChange({ status: value || null })}
        />
      )}
      {can('idPart') && (
        <SettledField
          label="Request id"
          placeholder="A part is enough"
          data-search=""
          value={filters.idPart ?? filters.requestId ?? ''}
          onSettled={(value) => onChange({ idPart: value || null, requestId: null })}
        />
      )}
      {part === 'asked' &&
        furtherNames
          .filter(isShown)
          .map((name) =>
            name === 'surface' ? (
              select(name, further[name].label, Object.entries(surfaceNamesForPeople))
            ) : (
              <SettledField
                key={name}
                {...further[name]}
                value={filters[name] ?? ''}
                onSettled={(value) => onChange({ [name]: value || null })}
              />
            ),
          )}
      <div className={styles.filterActions}>
        {part === 'asked' && hidden.length > 0 && (
          <Menu
            items={hidden.map((name) => ({
              name: further[name].label,
              onSelect: () => setOpened([...opened, name]),
            }))}
          >
            <Button tone="quiet" icon="plus">
              More filters
            </Button>
          </Menu>
        )}
        {isNarrowed && (
          <Button
            tone="quiet"
            icon="close"
            onClick={() => {
              setOpened([]);
              onChange(Object.fromEntries(filterNames.map((name) => [name, null])));
            }}
          >
            Take all away
          </Button>
        )}
      </div>
    </div>
  );
}

/**
 * Tells its text once nobody has typed for a moment. What the address says by other means ("back", a view)
 * takes the place of what was typed.
 */
function SettledField({
  value,
  onSettled,
  ...rest
}: {
  label: string;
  value: string;
  placeholder: string;
  inputMode?: 'numeric';
  'data-search'?: string;
  onSettled: (value: string) => void;
}) {
  const [draft, setDraft] = useState(value);
  const [seen, setSeen] = useState(value);
  const [told, setTold] = useState(value);
  if (value !== seen) {
    setSeen(value);
    if (value !== told) {
      setTold(value);
      setDraft(value);
    }
  }
  useEffect(() => {
    const text = draft.trim();
    if (text === told) return;
    const timer = setTimeout(() => {
      setTold(text);
      onSettled(text);
    }, settleMs);
    return () => clearTimeout(timer);
  }, [draft, told, onSettled]);
  return <TextField {...rest} value={draft} onChange={(event) => setDraft(event.target.value)} />;
}
