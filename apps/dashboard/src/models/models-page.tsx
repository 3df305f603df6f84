import { Button } from '../design/button';
import { Page } from '../design/page';
import { Loaded } from '../design/states';
import { formatCount } from '../format/number';
import { useNavigate } from 'react-router';
import { FoundModels } from './found-models';
import { modelColumns } from './model-columns';
import { useCatalog } from './use-catalog';
import type { ListedModel } from '../api/catalog';
import type { Column } from '../design/table';

export function ModelsPage() {
  const catalog = useCatalog();
  const navigate = useNavigate();
  const columns: Column<ListedModel>[] = [
    ...modelColumns,
    {
      id: 'try',
      header: () => <span className="visually-hidden">Try it</span>,
      meta: { end: true },
      cell: ({ row: { original } }) =>
        original.available &&
        original.kind === 'text' && (
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
        {({ models }) => (
          <FoundModels
            label="Models"
            models={models}
            columns={columns}
            summary={(found) => (
              <p className="muted small" role="status">
                {formatCount(found.length)} of {formatCount(models.length)} models
              </p>
            )}
          />
        )}
      </Loaded>
    </Page>
  );
}
