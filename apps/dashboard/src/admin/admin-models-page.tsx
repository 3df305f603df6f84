import { useQuery } from '@tanstack/react-query';
import { fetchAdminModels } from '../api/admin';
import type { AdminModel } from '../api/admin';
import type { ListedModel } from '../api/catalog';
import { Page } from '../design/page';
import { Loaded } from '../design/states';
import type { Column } from '../design/table';
import { FoundModels } from '../models/found-models';
import { modelColumns } from '../models/model-columns';
import styles from './admin.module.css';
import { ModelSwitch } from './model-switch';

export function AdminModelsPage() {
  const models = useQuery({ queryKey: ['admin', 'models'], queryFn: fetchAdminModels });
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
        {({ data }) => <FoundModels label="Models and prices" models={data} columns={columns} />}
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
