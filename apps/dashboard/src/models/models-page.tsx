import { useSearch } from '../app/use-search';
import { Button, ButtonLink } from '../design/button';
import { Checkbox } from '../design/field';
import { Page } from '../design/page';
import { Loaded } from '../design/states';
import { formatCount } from '../format/number';
import { useNavigate } from 'react-router';
import { FoundModels } from './found-models';
import { modelColumns } from './model-columns';
import styles from './models.module.css';
import { comparePath, mostCompared, pickedFrom, pickedText, toggled } from './picked-models';
import { useAsked } from './use-asked';
import { useCatalog, type ListedModel } from '../api/catalog';
import type { Column } from '../design/table';

export function ModelsPage() {
  const catalog = useCatalog();
  const asked = useAsked();
  const navigate = useNavigate();
  const [search, change] = useSearch();
  const picked = pickedFrom(search.get('pick'));
  const columns: Column<ListedModel>[] = [
    ...modelColumns,
    {
      header: 'Compare',
      cell: ({ row: { original } }) => (
        <Checkbox
          label={<span className="visually-hidden">Compare {original.name}</span>}
          checked={picked.includes(original.id)}
          disabled={picked.length >= mostCompared && !picked.includes(original.id)}
          onChange={() => change({ pick: pickedText(toggled(picked, original.id)) }, 'replace')}
        />
      ),
    },
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
            models={asked(models)}
            columns={columns}
            summary={(found) => (
              <div className={styles.picked}>
                <p className="muted small" role="status">
                  {formatCount(found.length)} of {formatCount(models.length)} models
                </p>
                {picked.length > 0 && (
                  <ButtonLink size="small" icon="columns" to={comparePath(picked)}>
                    Compare {formatCount(picked.length)} picked
                  </ButtonLink>
                )}
              </div>
            )}
          />
        )}
      </Loaded>
    </Page>
  );
}
