import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { Link, useParams } from 'react-router';
import { useAccountNames } from '../admin/use-accounts';
import { fetchStatement, statementAddress } from '../api/reports';
import type { StatementQuery } from '../api/reports';
import { useSearch } from '../app/use-search';
import { Button } from '../design/button';
import { SelectField, TextField } from '../design/field';
import { Page } from '../design/page';
import { Loaded } from '../design/states';
import { useSession } from '../session/session';
import { latestMonths, monthInWords } from './months';
import { StatementView } from './statement-view';
import styles from './usage.module.css';

/** What one's own account was charged in a month: to read, to print, to keep. */
export function StatementPage() {
  const { account } = useSession();
  return <Chosen query={{ scope: 'own' }} name={account?.name ?? null} back={<Link to="/overview">Overview</Link>} />;
}

/** The same of any account, for administrators. */
export function AccountStatementPage() {
  const { id = '' } = useParams();
  const name = useAccountNames().data?.data.find((account) => account.id === id)?.name ?? id;
  const back = <Link to={`/admin/accounts/${encodeURIComponent(id)}`}>The account</Link>;
  return <Chosen query={{ scope: 'fleet', accountId: id }} name={name} back={back} />;
}

/** The month and the project stand in the address. */
function Chosen({
  query,
  name,
  back,
}: {
  query: Pick<StatementQuery, 'scope' | 'accountId'>;
  name: string | null;
  back: ReactNode;
}) {
  const [search, change] = useSearch();
  const [months] = useState(() => latestMonths(Date.now()));
  const month = months.find((one) => one === search.get('month')) ?? months[0] ?? '';
  const project = search.get('project');
  const asked = { ...query, month, ...(project && { project }) };
  const statement = useQuery({ queryKey: ['statement', asked], queryFn: () => fetchStatement(asked) });
  return (
    <Page
      title="Statement"
      hint={back}
      actions={
        <>
          <Button icon="download" onClick={() => location.assign(statementAddress(asked))}>
            As CSV
          </Button>
          <Button onClick={() => window.print()}>Print</Button>
        </>
      }
    >
      <form className={styles.chosen} onSubmit={(event) => event.preventDefault()}>
        <SelectField label="Month" value={month} onChange={(event) => change({ month: event.target.value })}>
          {months.map((one) => (
            <option key={one} value={one}>
              {monthInWords(one)}
            </option>
          ))}
        </SelectField>
        <TextField
          label="Project"
          optional
          defaultValue={project ?? ''}
          onBlur={(event) => change({ project: event.target.value.trim() || null })}
        />
      </form>
      <Loaded query={statement} lines={8}>
        {(told) => <StatementView statement={told} name={name} project={project} />}
      </Loaded>
    </Page>
  );
}
