import { useQuery } from '@tanstack/react-query';
import { fetchAdminModels } from '../api/admin';
import type { AdminModel } from '../api/admin';
import type { ListedModel } from '../api/catalog';
import { Card } from '../design/card';
import { Page } from '../design/page';
import { Empty, Loaded } from '../design/states';
import { Table } from '../design/table';
import type { Column } from '../design/table';
import { modelColumns } from '../models/model-columns';
import { ModelFilters, useModelSearch } from '../models/model-filters';
import { searchModels } from '../models/model-search';
import styles from './admin.module.css';
import { ModelSwitch } from './model-switch';

export function AdminModelsPage() {
  const models = useQuery({ queryKey: ['admin', 'models'], queryFn: fetchAdminModels });
  const wanted = useModelSearch();
  const columns: Column<AdminModel>[] = [
    ...modelColumns
      .filter(({ header }) => !left.has(String(header)))
      .map((column) => column as Column<AdminModel & ListedModel>),
    { header: 'Aliases', cell: ({ row }) => <Names names={row.original.aliases} /> },
    { header: 'Deployments', cell: ({ row }) => <Names names={row.original.deployments.map(({ id }) => id)} /> },
    { header: 'Fallbacks', cell: ({ row }) => <Names names={row.original.fallbacks} /> },
    { header: 'Offered', cell: ({ row }) => <ModelSwitch model={row.original} onChanged={models.refetch} /> },
  ];
  return (
    <Page
      title="Models and prices"
      hint="Prices come from the price sheets in force; the tollgate command imports new ones. US dollars per million tokens."
    >
      <Loaded query={models} lines={10}>
        {({ data }) => {
          const found = searchModels(data, wanted);
          return (
            <>
              <ModelFilters models={data} />
              <Card flush>
                {found.length ? (
                  <Table label="Models and prices" columns={columns} rows={found} rowId={({ id }) => id} />
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

const left = new Set(['Provider', 'Can', 'Context']);

function Names({ names }: { names: string[] }) {
  if (!names.length) return '–';
  return (
    <ol className={styles.names}>
      {names.map((name) => (
        <li key={name}>{name}</li>
      ))}
    </ol>
  );
}
