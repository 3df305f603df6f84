import { instanceList } from '@tollgate/contracts';
import { namedAuditLine, type AdminScope } from '@tollgate/contracts/accounts';
import { catalogOperations } from '@tollgate/contracts/catalog';
import { adminRoutes, catalogListing, deploymentList, type AdminRoute } from '@tollgate/contracts/edge';
import { guardrailTrial, reportOperations, slicedWindow, statement } from '@tollgate/contracts/metering';
import { z } from 'zod';
import { auditExport, exportAudit } from '../dashboard/admin/audit-routes';
import { nearBudgets, readNearBudgets } from '../dashboard/admin/budget-routes';
import { tryText } from '../dashboard/admin/guardrail-routes';
import { keysForAttention, readKeysForAttention, wantedAttention, wantedSleeping } from '../dashboard/admin/key-routes';
import { modelList, readDeployments, readModels } from '../dashboard/admin/model-routes';
import { providerList, readProviders } from '../dashboard/admin/provider-routes';
import { firstDay, readFirstDay } from '../dashboard/admin/status-routes';
import type { DashboardServices } from '../dashboard/dashboard-services';
import { keyPage, readSleepingKeys } from '../dashboard/account/key-page';
import { exportUsage, wantedExport } from '../dashboard/reports/export-routes';
import type { ReportAsker } from '../dashboard/reports/report-query';
import { readProjects } from '../dashboard/reports/report-routes';
import { readStatement, wantedStatement } from '../dashboard/reports/statement-routes';

/** Where the admin API is, without a slash. */
export const adminBase = 'api/admin/v1';

/** A route that no single service answers: edge puts together what it tells. It changes nothing. */
interface OwnRoute extends Pick<AdminRoute, 'params' | 'named' | 'query' | 'body' | 'answer' | 'mostBytes'> {
  method: 'GET' | 'POST';
  status: 200;
  path: string;
  scope: AdminScope;
  summary: string;
  mayConflict?: false;
  /** Its answer is a file where `format` says so, of CSV or JSON. */
  isFile?: true;
  /** There is nothing to write down, and nothing that would have to be done once. */
  act: () => null;
  /** `asked`: what `query`, or `body`, has. */
  read(services: DashboardServices, asked: unknown): Promise<object>;
}
export type ServedRoute = AdminRoute | OwnRoute;

const none = z.strictObject({});
const act = () => null;

function reading(
  path: string,
  scope: AdminScope,
  rest: Pick<OwnRoute, 'summary' | 'answer' | 'read'> & Partial<Pick<OwnRoute, 'query' | 'isFile'>>,
): OwnRoute {
  return { method: 'GET', path, scope, status: 200, params: [], named: none, query: none, body: none, act, ...rest };
}

/** Tokens see what administrators of the gateway see, and are of no account. */
const administrator: ReportAsker = { person: { role: 'administrator' }, account: { id: '' } };

const projectsQuery = z.strictObject(reportOperations.projects.request.omit({ projects: true }).shape);

/** What pages of administrators show and no service tells as a whole. */
const administratorsRoutes: readonly OwnRoute[] = [
  reading(catalogListing.path, catalogListing.scope, {
    summary: catalogListing.summary,
    answer: catalogListing.answer,
    read: async (services) => {
      const { models } = await services.ask(catalogOperations.snapshot, {});
      return { models };
    },
  }),
  reading('/keys/attention', 'keys:read', {
    summary: 'The first API keys that work and end by a time (epoch milliseconds), and the first that sleep',
    query: wantedAttention,
    answer: keysForAttention,
    read: (services, asked) => readKeysForAttention(wantedAttention.parse(asked), services),
  }),
  reading('/keys/asleep', 'keys:read', {
    summary: 'API keys that were made, and last used, more than eight weeks ago; of `limit` keys that work',
    query: wantedSleeping,
    answer: keyPage.extend({ has_more: z.boolean() }),
    read: async (services, asked) => {
      const told = await readSleepingKeys(services, wantedSleeping.parse(asked));
      return { ...told, has_more: told.next !== null };
    },
  }),
  reading('/budgets/near', 'budgets:read', {
    summary: 'Budgets of which 80 % are spent, or that refused a request, in the window at hand',
    answer: nearBudgets,
    read: readNearBudgets,
  }),
  reading('/first-day', 'accounts:read', {
    summary: 'Whether anybody else may sign in and call, and whether a request was answered in the last 30 days',
    answer: firstDay,
    read: readFirstDay,
  }),
  reading('/audit/export', 'audit:read', {
    summary: 'The audit log, newest first, as one file of CSV or JSON',
    query: auditExport,
    answer: z.array(namedAuditLine),
    isFile: true,
    read: (services, asked) => exportAudit(auditExport.parse(asked), services),
  }),
  reading('/usage/export', 'usage:read', {
    summary: 'A series, the log of requests or who spent it, as one file of CSV or JSON',
    query: wantedExport,
    answer: z.unknown(),
    isFile: true,
    read: (services, asked) => exportUsage({ ...wantedExport.parse(asked), scope: 'fleet' }, administrator, services),
  }),
  reading('/usage/statement', 'usage:read', {
    summary: 'What an account, or a project of it, was charged in a month of the calendar (UTC), by day and model',
    query: wantedStatement,
    answer: statement,
    isFile: true,
    read: (services, asked) => readStatement(wantedStatement.parse(asked), services),
  }),
];

/** Every route of the admin API that edge serves. */
export const servedRoutes: readonly ServedRoute[] = [
  ...adminRoutes,
  reading('/models', 'models:read', {
    summary: 'Every model with its aliases, fallbacks and deployments',
    answer: modelList,
    read: async (services) => readModels(services),
  }),
  reading(deploymentList.path, deploymentList.scope, {
    summary: deploymentList.summary,
    answer: deploymentList.answer,
    read: async (services) => readDeployments(services),
  }),
  reading(instanceList.path, instanceList.scope, {
    summary: instanceList.summary,
    answer: instanceList.answer,
    read: async (services) => ({ data: await services.running() }),
  }),
  reading('/providers', 'providers:read', {
    summary: 'Every provider: configured or not, its models, and its last hour',
    answer: providerList,
    read: readProviders,
  }),
  reading('/usage/projects', 'usage:read', {
    summary: 'Requests, tokens and cost of an account by the projects that its keys are of today',
    query: projectsQuery,
    answer: slicedWindow,
    read: async (services, asked) => readProjects(projectsQuery.parse(asked), services),
  }),
  ...administratorsRoutes,
  {
    ...{ ...guardrailTrial, status: 200, params: [], named: none, query: none, act },
    read: async (services, asked) => tryText(guardrailTrial.body.parse(asked), services),
  },
];
