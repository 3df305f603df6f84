import type { ReactNode } from 'react';
import type { ListedModel } from '../api/catalog';
import { Card } from '../design/card';
import { Empty } from '../design/states';
import { Table } from '../design/table';
import type { Column } from '../design/table';
import { ModelFilters, useModelSearch } from './model-filters';
import { searchModels } from './model-search';

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
