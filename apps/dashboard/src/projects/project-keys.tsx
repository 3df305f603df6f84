import type { KeySummary } from '@tollgate/contracts';
import type { ReportScope } from '../api/reports';
import { Empty } from '../design/states';
import { Table } from '../design/table';
import { formatCount } from '../format/number';
import { keyColumns } from '../keys/key-columns';

/** The keys that are of a project today. `isPart`: `keys` are the newest, and there are others. */
export function ProjectKeys({
  keys,
  isPart,
  project,
  scope,
}: {
  keys: readonly KeySummary[];
  isPart: boolean;
  project: string;
  scope: ReportScope;
}) {
  const own = keys.filter((key) => key.project === project);
  if (own.length === 0 && isPart)
    return (
      <Empty icon="key" title={`None of the newest ${formatCount(keys.length)} keys is of this project`}>
        Older ones are not looked through here; what they cost is in the sum above.
      </Empty>
    );
  if (own.length === 0)
    return (
      <Empty icon="key" title="No key is of this project today">
        A key is given one when it is made, or later: tollgate keys project.
      </Empty>
    );
  const pageOf = ({ id }: KeySummary) => `${scope === 'own' ? '/keys' : '/admin/keys'}/${encodeURIComponent(id)}`;
  const { name, state, models, lastUsed, expires } = keyColumns<KeySummary>('Key', pageOf, () => []);
  return (
    <Table
      label="Keys"
      columns={[name, state, models, lastUsed, expires]}
      rows={own}
      rowId={({ id }) => id}
      more={isPart && <span className="muted">Of the newest {formatCount(keys.length)} keys; there are others.</span>}
    />
  );
}
