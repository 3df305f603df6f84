import type { ListedModel } from '../api/catalog';
import { useSearch } from '../app/use-search';
import { Checkbox, SearchField, SelectField } from '../design/field';
import { capabilityFilters } from './model-search';
import type { ModelSearch } from './model-search';
import styles from './models.module.css';

/** What is looked for, kept in the address. */
export function useModelSearch(): ModelSearch {
  const [search] = useSearch();
  return {
    words: search.get('q') ?? '',
    provider: search.get('provider') ?? '',
    capability: search.get('can') ?? '',
    onlyAvailable: search.get('all') !== 'yes',
  };
}

export function ModelFilters({ models }: { models: ListedModel[] }) {
  const [, change] = useSearch();
  const wanted = useModelSearch();
  const providers = [...new Map(models.map(({ provider, providerName }) => [provider, providerName]))].sort((a, b) =>
    a[1].localeCompare(b[1]),
  );
  return (
    <div className={styles.filters} role="search" aria-label="Filter models">
      <SearchField
        label="Search models"
        value={wanted.words}
        onChange={(event) => change({ q: event.target.value }, 'replace')}
      />
      <SelectField
        label="Provider"
        hiddenLabel
        value={wanted.provider}
        onChange={(event) => change({ provider: event.target.value })}
      >
        <option value="">Every provider</option>
        {providers.map(([id, name]) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </SelectField>
      <SelectField
        label="Capability"
        hiddenLabel
        value={wanted.capability}
        onChange={(event) => change({ can: event.target.value })}
      >
        <option value="">Every capability</option>
        {capabilityFilters.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </SelectField>
      <Checkbox
        label="Only available ones"
        checked={wanted.onlyAvailable}
        onChange={(event) => change({ all: event.target.checked ? null : 'yes' })}
      />
    </div>
  );
}
