import { Button } from '../design/button';
import { Card } from '../design/card';
import { Page } from '../design/page';
import { Empty, Loaded } from '../design/states';
import { Table } from '../design/table';
import { formatCount } from '../format/number';
import { useNavigate } from 'react-router';
import { modelColumns } from './model-columns';
import { ModelFilters, useModelSearch } from './model-filters';
import { searchModels } from './model-search';
import { useCatalog } from './use-catalog';
import type { ListedModel } from '../api/catalog';
import type { Column } from '../design/table';

export function ModelsPage() {
  const catalog = useCatalog();
  const wanted = useModelSearch();
  const navigate = useNavigate();
  const columns: Column<ListedModel>[] = [
    ...modelColumns,
    {
      id: 'try',
      header: () => <span className="visually-hidden">Try it</span>,
      meta: { end: true },
      cell: ({ row: { original } }) =>
        original.available &&
        original.kind !== 'embedding' && (
          <Button
            size="small"
            aria-label={`Try ${original.name} in the playground`}
            onClick={() => void navigate(`/playground?model=${encodeURIComponent(original.id)}`)}
          >
            Try
          </Button>
        ),
    },
  ];
  return (
    <Page title="Models" hint="Everything this gateway can reach. Prices in US dollars per million tokens.">
      <Loaded query={catalog} lines={10}>
        {({ models }) => {
          const found = searchModels(models, wanted);
          return (
            <>
              <ModelFilters models={models} />
              <p className="muted small" role="status">
                {formatCount(found.length)} of {formatCount(models.length)} models
              </p>
              <Card flush>
                {found.length ? (
                  <Table label="Models" columns={columns} rows={found} rowId={({ id }) => id} />
                ) : (
                  <Empty icon="cube" title="No model fits">
                    Take a filter away, or use a shorter word.
                  </Empty>
                )}
              </Card>
            </>
          );
        }}
      </Loaded>
    </Page>
  );
}
