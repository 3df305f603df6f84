import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { KeySummary } from '@tollgate/contracts/accounts';
import { useState, type ComponentProps, type ReactNode } from 'react';
import { Link, useNavigate, useParams } from 'react-router';
import { fetchAdminKeys, renameProject } from '../api/admin';
import { fetchStatement } from '../api/reports';
import type { ReportScope } from '../api/reports';
import { BudgetsTable } from '../budgets/budgets-table';
import { useBudgets } from '../budgets/use-budgets';
import { Button, ButtonLink } from '../design/button';
import { Card } from '../design/card';
import { Page } from '../design/page';
import { RenameDialog } from '../design/rename-dialog';
import { Empty, Loaded } from '../design/states';
import { Table } from '../design/table';
import { formatCount } from '../format/number';
import { keyColumns } from './key-columns';
import { useKeys } from './use-keys';
import { latestMonths } from '../usage/months';
import { StatementSums } from '../usage/statement-view';
import { projectPath, projectStatementPath } from '../app/paths';

/** A project of one's own account: what its keys were charged this month, which they are, and its budgets. */
export function ProjectPage() {
  const { project = '' } = useParams();
  const keys = useKeys();
  return <Project accountId={null} project={project} hint={<Link to="/keys">All keys</Link>} keys={keys} />;
}

/** The same of any account, for administrators. */
export function AccountProjectPage() {
  const { id = '', project = '' } = useParams();
  const keys = useQuery({
    queryKey: ['admin', 'project-keys', id],
    queryFn: () => fetchAdminKeys({ accountId: id, limit: 500 }),
  });
  const hint = <Link to={`/admin/accounts/${encodeURIComponent(id)}`}>The account</Link>;
  return <Project accountId={id} project={project} hint={hint} keys={keys} />;
}

/** `accountId` null: of one's own account. */
interface Of {
  accountId: string | null;
  project: string;
}

/** `keys`: the newest of the account; `next` is there where it has others. */
type WithKeys = Of & {
  hint: ReactNode;
  keys: ComponentProps<typeof Loaded<{ data: readonly KeySummary[]; next?: unknown }>>['query'];
};

function Project({ accountId, project, hint, keys }: WithKeys) {
  return (
    <Page
      title={project}
      hint={hint}
      actions={
        <>
          {accountId !== null && <Rename accountId={accountId} project={project} />}
          <Statement accountId={accountId} project={project} />
        </>
      }
    >
      <Month accountId={accountId} project={project} />
      <Budgets accountId={accountId} project={project} />
      <Card title="Keys" flush>
        <Loaded query={keys} lines={4}>
          {({ data, next }) => (
            <ProjectKeys keys={data} isPart={next != null} project={project} scope={scopeOf(accountId)} />
          )}
        </Loaded>
      </Card>
    </Page>
  );
}

const longestName = 100;

/** For administrators; the page of the project is under its new name then. */
function Rename({ accountId, project }: { accountId: string; project: string }) {
  const [isOpen, setOpen] = useState(false);
  const queries = useQueryClient();
  const goTo = useNavigate();
  return (
    <>
      <Button icon="edit" onClick={() => setOpen(true)}>
        Rename
      </Button>
      {isOpen && (
        <RenameDialog
          title={`Rename "${project}"`}
          description="Its keys, budgets and keys of providers go with it, and so does what it used before."
          name={project}
          longest={longestName}
          rename={async (name) => {
            const { project: kept } = await renameProject(accountId, project, name);
            // Statements go by the name: that of the former one would be asked for in vain.
            await queries.invalidateQueries({ predicate: ({ queryKey: [what] }) => what !== 'statement' });
            await goTo(projectPath(accountId, kept), { replace: true });
          }}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}

const scopeOf = (accountId: string | null): ReportScope => (accountId === null ? 'own' : 'fleet');

function Statement({ accountId, project }: Of) {
  return (
    <ButtonLink icon="columns" to={projectStatementPath(accountId, project)}>
      Statement
    </ButtonLink>
  );
}

function Month({ accountId, project }: Of) {
  const [month] = useState(() => latestMonths(Date.now())[0] ?? '');
  const asked = { scope: scopeOf(accountId), month, project, ...(accountId !== null && { accountId }) };
  const statement = useQuery({ queryKey: ['statement', asked], queryFn: () => fetchStatement(asked) });
  return (
    <Loaded query={statement} lines={8}>
      {(told) => <StatementSums statement={told} name={null} project={project} />}
    </Loaded>
  );
}

/** Nothing where it has none. What cannot be had, or was not looked through, says so. */
function Budgets({ accountId, project }: Of) {
  const scope = scopeOf(accountId);
  const budgets = useBudgets(scope, { accountId });
  const isPart = budgets.hasNextPage && (
    <span className="muted">There are more budgets than were looked through here.</span>
  );
  return (
    <Loaded query={budgets} lines={2}>
      {({ pages }) => {
        const own = pages.flatMap(({ data }) => data).filter((budget) => budget.project === project);
        if (own.length === 0) return isPart && <p>{isPart}</p>;
        return (
          <Card title="Budgets" flush>
            <BudgetsTable budgets={own} scope={scope} acts={null} more={isPart} />
          </Card>
        );
      }}
    </Loaded>
  );
}

/** The keys that are of a project today. `isPart`: `keys` are the newest, and there are others. */
function ProjectKeys({
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
