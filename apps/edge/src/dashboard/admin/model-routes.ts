import { z } from 'zod';
import {
  catalogModel,
  catalogOperations,
  deployment,
  incidentOperations,
  setModelOperations,
} from '@tollgate/contracts/catalog';
import { deploymentList } from '@tollgate/contracts/edge';
import { listedModel, toListedModels } from '../account/listed-model';
import type { DashboardServices } from '../dashboard-services';
import { route } from '../route';
import { doRecorded, recordAct } from './record-act';

const { list, set, remove } = setModelOperations;

/** Models, their deployments and their fallbacks that are set without tollgate.yaml. */
export const setModelRoutes = [
  route({
    method: 'GET',
    path: '/api/admin/models/settings',
    access: 'administrator',
    summary: 'Models of which the file or the settings say something, whether it holds, and what the settings say',
    answer: list.reply,
    handle: (_asked, services) => services.ask(list, {}),
  }),
  route({
    method: 'POST',
    path: '/api/admin/models',
    access: 'administrator',
    summary: 'Add a model, or change its deployments, its fallbacks and what else is said of it, but its price',
    body: set.request.omit({ by: true }),
    answer: set.reply,
    handle: ({ body, signedIn }, services) => doRecorded(set, body, signedIn, services),
  }),
  route({
    method: 'POST',
    path: '/api/admin/models/remove',
    access: 'administrator',
    summary: 'Take a model out of the settings: what the release says of it holds again, a new one is gone',
    body: remove.request.omit({ by: true }),
    answer: remove.reply,
    handle: ({ body, signedIn }, services) => doRecorded(remove, body, signedIn, services),
  }),
];

const adminModel = listedModel.extend({
  aliases: z.array(z.string()),
  fallbacks: z.array(z.string()).describe('Public model ids, tried in order'),
  deployments: z.array(deployment),
  enabled: z.boolean().describe('False: an administrator switched it off, or has not switched it on yet'),
  discovered: z.boolean().describe("Only its provider's list tells of it"),
  timeouts: catalogModel.shape.timeouts.describe('Milliseconds; absent: those of every model'),
  hedgeAfterMs: catalogModel.shape.hedgeAfterMs.describe('Absent: its requests are never sent twice'),
});

export const modelList = z.object({
  data: z.array(adminModel),
  factsAsOf: z.string().nullable().describe('The day of the newest facts of the catalog; null: not known'),
});

/** The catalog with what callers do not see. */
export const adminModelRoutes = [
  route({
    method: 'GET',
    path: '/api/admin/models',
    access: 'administrator',
    summary: 'Every model with its aliases, fallbacks and deployments',
    answer: modelList,
    handle: async (_asked, services) => readModels(services),
  }),
  route({
    method: 'POST',
    path: '/api/admin/models/switch',
    access: 'administrator',
    summary: 'Switch a model off, for everybody and also as a fallback, or on again',
    body: catalogOperations.setModelEnabled.request,
    answer: catalogOperations.setModelEnabled.reply,
    handle: async ({ body, signedIn }, services) => {
      await recordAct(catalogOperations.setModelEnabled, body, signedIn, services);
      return services.ask(catalogOperations.setModelEnabled, body);
    },
  }),
  route({
    method: 'GET',
    path: '/api/admin/deployments',
    access: 'administrator',
    summary: deploymentList.summary,
    answer: deploymentList.answer,
    handle: async (_asked, services) => readDeployments(services),
  }),
  route({
    method: 'POST',
    path: '/api/admin/deployments/hold',
    access: 'administrator',
    summary: 'Close a deployment, drain it, or open it again, at every inference instance',
    body: catalogOperations.holdDeployment.request.omit({ by: true }),
    answer: catalogOperations.holdDeployment.reply,
    handle: ({ body, signedIn }, services) => doRecorded(catalogOperations.holdDeployment, body, signedIn, services),
  }),
  route({
    method: 'GET',
    path: '/api/admin/incidents',
    access: 'administrator',
    summary: 'When deployments were kept away from callers, why and by whom, the newest first',
    query: z.strictObject({
      provider: z.string().min(1).max(64).optional(),
      after: z.string().min(1).max(1_000).optional().describe('`next` of the page before'),
    }),
    answer: incidentOperations.list.reply,
    handle: ({ query }, services) => services.ask(incidentOperations.list, query),
  }),
];

/** Every model of the catalog, also those that callers do not see. */
export function readModels({ catalog }: DashboardServices): z.infer<typeof modelList> {
  const snapshot = catalog.snapshot();
  const disabled = new Set(snapshot.disabled);
  const byId = new Map(snapshot.models.map((model) => [model.id, model]));
  const data = toListedModels(snapshot).map((listed) => {
    const model = byId.get(listed.id);
    const { aliases = [], fallbacks = [], deployments = [], discovered = false } = model ?? {};
    const enabled = !disabled.has(listed.id);
    const limits = { timeouts: model?.timeouts, hedgeAfterMs: model?.hedgeAfterMs };
    return { ...listed, aliases, fallbacks, deployments, enabled, discovered, ...limits };
  });
  return { data, factsAsOf: snapshot.factsAsOf };
}

/** Every deployment, as inference sees it and as an operator decided. */
export function readDeployments({ catalog, deployments }: DashboardServices): z.output<typeof deploymentList.answer> {
  const { models, held } = catalog.snapshot();
  const holds = new Map(held.map((hold) => [hold.deployment, hold]));
  const byId = new Map<string, { provider: string; models: string[] }>();
  for (const model of models)
    for (const { id, provider } of model.deployments) {
      const known = byId.get(id) ?? { provider, models: [] };
      byId.set(id, { provider, models: [...known.models, model.id] });
    }
  const data = Array.from(byId, ([id, facts]) => ({
    id,
    ...facts,
    held: holds.get(id) ?? null,
    standing: deployments.standingOf(id),
  }));
  return { data };
}
