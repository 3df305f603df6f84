import { dialectName } from '@tollgate/contracts';
import { neededVariables, type CatalogSnapshot } from '@tollgate/contracts/catalog';
import { providerKeyRest, providerOperations } from '@tollgate/contracts/inference';
import { percentiles, reportOperations } from '@tollgate/contracts/metering';
import { z } from 'zod';
import type { DashboardServices } from '../dashboard-services';
import { route } from '../route';
import { recordAct } from './record-act';

const lastHourMs = 3_600_000;
/** A model may have to be loaded for its token. */
const checkTimeoutMs = 90_000;

/**
 * A provider and its last hour. `configured`: inference can ask it: its credentials are set, or it needs
 * none. It may have no model.
 */
const providerHealth = z.object({
  id: z.string(),
  name: z.string(),
  dialect: dialectName,
  configured: z.boolean(),
  needs: z.string().nullable().describe('What has to be set to reach it, by the names of variables; null: nothing'),
  models: z.number().int(),
  available: z.number().int(),
  requests: z.number().int(),
  failed: z.number().int(),
  latency: percentiles,
  firstToken: percentiles,
  leftAlone: z
    .array(z.string())
    .describe('Deployments that failed so often that an inference instance leaves them alone for a while'),
  restingKeys: z
    .array(providerKeyRest.omit({ provider: true, of: true, mark: true }))
    .describe(
      'Which of several keys an inference instance leaves alone, and what the provider answered; by their place',
    ),
});

export const providerList = z.object({ data: z.array(providerHealth) });

/** How providers are. */
export const providerRoutes = [
  route({
    method: 'GET',
    path: '/api/admin/providers',
    access: 'administrator',
    summary: 'Every provider: configured or not, its models, and its last hour',
    answer: providerList,
    handle: (_asked, services) => readProviders(services),
  }),
  route({
    method: 'POST',
    path: '/api/admin/providers/check',
    access: 'administrator',
    summary: 'Ask a provider (null: all) for its models and, unless `token` is false, one token, and say what is wrong',
    body: providerOperations.check.request,
    answer: providerOperations.check.reply,
    handle: async ({ body, signedIn }, services) => {
      await recordAct(providerOperations.check, body, signedIn, services);
      return services.ask(providerOperations.check, body, { timeoutMs: checkTimeoutMs });
    },
  }),
  route({
    method: 'POST',
    path: '/api/admin/providers/look',
    access: 'administrator',
    summary: "Read a provider's own list of models (null: all lists) now",
    body: providerOperations.look.request,
    answer: providerOperations.look.reply,
    handle: async ({ body, signedIn }, services) => {
      await recordAct(providerOperations.look, body, signedIn, services);
      return services.ask(providerOperations.look, body, { timeoutMs: checkTimeoutMs });
    },
  }),
];

/** Every provider that the catalog knows, with its last hour. */
export async function readProviders(services: DashboardServices): Promise<z.infer<typeof providerList>> {
  const snapshot = services.catalog.snapshot();
  const endAt = Date.now();
  const { lines } = await services.ask(reportOperations.series, {
    startAt: endAt - lastHourMs,
    endAt,
    step: 'minute',
    groupBy: 'provider',
    maxLines: 1_000,
  });
  const reachable = new Set(snapshot.reachable);
  const totals = new Map(lines.map((line) => [line.name, line.totals]));
  const data = snapshot.providers.map((provider) => {
    const { id, name, dialect } = provider;
    const { models, available } = modelsOf(id, snapshot);
    const { requests = 0, failed = 0, latency = null, firstToken = null } = totals.get(id) ?? {};
    const configured = reachable.has(id);
    const needs = configured ? null : neededVariables(provider);
    const leftAlone = services.deployments.leftAlone(id);
    const restingKeys = services.deployments
      .restingKeys(id)
      .map(({ provider: _provider, of: _of, mark: _mark, ...rest }) => rest);
    return {
      id,
      name,
      dialect,
      configured,
      needs,
      models,
      available,
      requests,
      failed,
      latency,
      firstToken,
      leftAlone,
      restingKeys,
    };
  });
  return { data };
}

function modelsOf(provider: string, { models, available }: CatalogSnapshot): { models: number; available: number } {
  const live = new Set(available);
  const own = models.filter(({ deployments }) => deployments.some((deployment) => deployment.provider === provider));
  return { models: own.length, available: own.filter(({ id }) => live.has(id)).length };
}
