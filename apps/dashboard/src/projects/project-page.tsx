import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useParams } from 'react-router';
import { fetchAdminKeys } from '../api/admin';
import { fetchStatement } from '../api/reports';
import type { ReportScope } from '../api/reports';
import { BudgetsTable } from '../budgets/budgets-table';
import { useBudgets } from '../budgets/use-budgets';
import { ButtonLink } from '../design/button';
import { Card } from '../design/card';
import { Page } from '../design/page';
import { Loaded } from '../design/states';
import { useKeys } from '../keys/use-keys';
import { latestMonths } from '../usage/months';
import { StatementSums } from '../usage/statement-view';
import { projectStatementPath } from './project-path';
import { ProjectKeys } from './project-keys';

/** A project of one's own account: what its keys were charged this month, which they are, and its budgets. */
export function ProjectPage() {
  const { project = '' } = useParams();
  const keys = useKeys();
  return (
    <Page
      title={project}
      hint={<Link to="/keys">All keys</Link>}
      actions={<Statement accountId={null} project={project} />}
    >
      <Month accountId={null} project={project} />
      <Budgets accountId={null} project={project} />
      <Card title="Keys" flush>
        <Loaded query={keys} lines={4}>
          {({ data, next }) => <ProjectKeys keys={data} isPart={next != null} project={project} scope="own" />}
        </Loaded>
      </Card>
    </Page>
  );
}

/** The same of any account, for administrators. */
export function AccountProjectPage() {
  const { id = '', project = '' } = useParams();
  const keys = useQuery({
    queryKey: ['admin', 'project-keys', id],
    queryFn: () => fetchAdminKeys({ accountId: id, limit: 500 }),
  });
  return (
    <Page
      title={project}
      hint={<Link to={`/admin/accounts/${encodeURIComponent(id)}`}>The account</Link>}
      actions={<Statement accountId={id} project={project} />}
    >
      <Month accountId={id} project={project} />
      <Budgets accountId={id} project={project} />
      <Card title="Keys" flush>
        <Loaded query={keys} lines={4}>
          {({ data, next }) => <ProjectKeys keys={data} isPart={next != null} project={project} scope="fleet" />}
        </Loaded>
      </Card>
    </Page>
  );
}

/** `accountId` null: of one's own account. */
interface Of {
  accountId: string | null;
  project: string;
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
