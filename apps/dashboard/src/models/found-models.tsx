import type { ReactNode } from 'react';
import type { ListedModel } from '../api/catalog';
import { useSearch } from '../app/use-search';
import { Card } from '../design/card';
import { Checkbox, SearchField, SelectField } from '../design/field';
import { Empty } from '../design/states';
import { Table } from '../design/table';
import type { Column } from '../design/table';
import { capabilityFilters, type ModelSearch, searchModels } from './model-search';
import styles from './models.module.css';

/** A list of models with its filters; `summary` stands between the two. */
export function FoundModels<Model extends ListedModel>({
  label,
  models,
  columns,
  summary,
}: {
  label: string;
  models: Model[];
  columns: Column<Model>[];
  summary?: (found: Model[]) => ReactNode;
}) {
  const found = searchModels(models, useModelSearch());
  return (
    <>
      <ModelFilters models={models} />
      {summary?.(found)}
      <Card flush>
        {found.length ? (
          <Table label={label} columns={columns} rows={found} rowId={({ id }) => id} grows />
        ) : (
          <Empty icon="cube" title="No model fits">
            Take a filter away, or use a shorter word.
          </Empty>
        )}
      </Card>
    </>
  );
}

/** What is looked for, kept in the address. */
function useModelSearch(): ModelSearch {
  const [search] = useSearch();
  return {
    words: search.get('q') ?? '',
    provider: search.get('provider') ?? '',
    capability: search.get('can') ?? '',
    onlyAvailable: search.get('all') !== 'yes',
  };
}

function ModelFilters({ models }: { models: ListedModel[] }) {
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
