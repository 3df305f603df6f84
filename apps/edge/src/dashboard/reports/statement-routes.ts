import { decimalFromNanoUsd, GatewayError } from '@tollgate/contracts';
import { accountsOperations } from '@tollgate/contracts/accounts';
import {
  projectName,
  statement,
  statementMonth,
  statementOperations,
  type Statement,
  type StatementLine,
} from '@tollgate/contracts/metering';
import { z } from 'zod';
import type { DashboardServices } from '../dashboard-services';
import { Download, route } from '../route';
import { csvLine } from './csv';
import { cellsOf, type Columns } from './export-rows';
import { reportScope } from './report-query';

/** The last answer of a key may end hours after it. */
const keyEndedEarlierMs = 86_400_000;

/** Metering reads it day by day. */
const statementTimeoutMs = 30_000;

const statementQuery = z.strictObject({
  scope: z.enum(['own', 'fleet']).default('own').describe('fleet: of another account, for administrators'),
  accountId: z.string().min(1).max(256).optional().describe('With scope=fleet: of this account'),
  month: statementMonth.describe('Of the calendar, in UTC'),
  project: projectName.optional().describe('Of the keys that are of this project today'),
  format: z.enum(['csv', 'json']).default('json'),
});

/** What an account was charged in a month, to read, to print and to keep. */
export const statementRoutes = [
  route({
    method: 'GET',
    path: '/api/reports/statement',
    access: 'usage',
    summary: 'What an account, or a project of it, was charged in a month of the calendar (UTC), by day and model',
    query: statementQuery,
    answer: statement,
    handle: async ({ query, signedIn }, services) => {
      const { accountId } = await reportScope(query, signedIn, services);
      if (accountId === undefined) throw new GatewayError(400, 'accountId: goes with scope=fleet.');
      return readStatement({ ...query, accountId }, services);
    },
  }),
];

/** How a statement is asked for by who sees those of everybody. */
export const wantedStatement = statementQuery.omit({ scope: true }).extend({ accountId: z.string().min(1).max(256) });

/** Of an account, or a project of it. @throws GatewayError 404 for a project that no key is of. */
export async function readStatement(
  { accountId, month, project, format }: z.output<typeof wantedStatement>,
  services: DashboardServices,
): Promise<Statement | Download> {
  const keyIds = project === undefined ? undefined : await keysOf(project, accountId, month, services);
  const asked = { accountId, month, keyIds };
  const told = await services.ask(statementOperations.read, asked, { timeoutMs: statementTimeoutMs });
  if (format === 'json') return told;
  return new Download(`tollgate-statement-${month}.csv`, 'text/csv; charset=utf-8', csvOf(told));
}

async function keysOf(project: string, accountId: string, month: string, services: DashboardServices) {
  const since = Math.max(0, Date.parse(`${month}-01T00:00:00Z`) - keyEndedEarlierMs);
  const { projects } = await services.ask(accountsOperations.projects, { accountId, since });
  const found = projects.find(({ name }) => name === project);
  if (!found) throw new GatewayError(404, `No key of the account is of the project ${project}.`);
  return found.keyIds;
}

/** Costs are US dollars, exact. */
const columns: Columns<StatementLine> = {
  day: ({ day }) => day,
  model: ({ model }) => model,
  requests: ({ requests }) => requests,
  unpriced_requests: ({ unpricedRequests }) => unpricedRequests,
  input_tokens: ({ inputTokens }) => inputTokens,
  cached_input_tokens: ({ cachedInputTokens }) => cachedInputTokens,
  output_tokens: ({ outputTokens }) => outputTokens,
  cost_usd: ({ costNanoUsd }) => decimalFromNanoUsd(BigInt(costNanoUsd)),
};

async function* csvOf({ lines, total, month }: Statement): AsyncGenerator<string> {
  yield csvLine(Object.keys(columns));
  yield lines.map((line) => csvLine(cellsOf(columns, line))).join('');
  yield csvLine(cellsOf(columns, { ...total, day: month, model: 'total' }));
}
