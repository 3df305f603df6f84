import {
  adminRoutes,
  deploymentList,
  guardrailTrial,
  instanceList,
  reportOperations,
  slicedWindow,
  type AdminRoute,
  type AdminScope,
} from '@tollgate/contracts';
import { z } from 'zod';
import { tryText } from '../dashboard/admin/guardrail-routes';
import { modelList, readDeployments, readModels } from '../dashboard/admin/model-routes';
import { providerList, readProviders } from '../dashboard/admin/provider-routes';
import type { DashboardServices } from '../dashboard/dashboard-services';
import { readProjects } from '../dashboard/reports/report-routes';

/** Where the admin API is, without a slash. */
export const adminBase = 'api/admin/v1';

/** A route that no single service answers: edge puts together what it tells. It changes nothing. */
interface OwnRoute extends Pick<AdminRoute, 'params' | 'named' | 'query' | 'body' | 'answer'> {
  method: 'GET' | 'POST';
  status: 200;
  path: string;
  scope: AdminScope;
  summary: string;
  mayConflict?: false;
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
  rest: Pick<OwnRoute, 'summary' | 'answer' | 'read'> & Partial<Pick<OwnRoute, 'query'>>,
): OwnRoute {
  return { method: 'GET', path, scope, status: 200, params: [], named: none, query: none, body: none, act, ...rest };
}

const projectsQuery = z.strictObject(reportOperations.projects.request.omit({ projects: true }).shape);

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
  {
    ...{ ...guardrailTrial, status: 200, params: [], named: none, query: none, act },
    read: async (services, asked) => tryText(guardrailTrial.body.parse(asked), services),
  },
];
