import { GatewayError } from '@tollgate/contracts';
import { accountsOperations } from '@tollgate/contracts/accounts';
import {
  explainedEvent,
  failureCauses,
  ledgerOperations,
  namedRefusal,
  namedRequest,
  refusalOperations,
  reportOperations,
  requestOrder,
  series,
  slicedWindow,
} from '@tollgate/contracts/metering';
import type { ExplainedEvent, Series, SlicedWindow } from '@tollgate/contracts/metering';
import { z } from 'zod';
import type { DashboardServices } from '../dashboard-services';
import { eventId } from '../account/content-log-routes';
import { pageOf, route } from '../route';
import { withNames, withoutOperatorsWords } from '../with-names';
import {
  chargeQuery,
  failuresQuery,
  refusalsQuery,
  type ReportAsker,
  reportScope,
  requestsQuery,
  requireOwnWords,
  seriesQuery,
  slicesQuery,
} from './report-query';

/** What was used, over time and request by request. */
export const reportRoutes = [
  route({
    method: 'GET',
    path: '/api/reports/series',
    access: 'usage',
    summary: 'Requests, tokens, cost and times over a window',
    query: seriesQuery,
    answer: series,
    handle: ({ query, signedIn }, services) => readSeries(query, signedIn, services),
  }),
  route({
    method: 'GET',
    path: '/api/reports/slices',
    access: 'usage',
    summary: 'Requests, tokens and cost of an account by end user, session, agent, tag or project, in whole hours',
    query: slicesQuery,
    answer: slicedWindow,
    handle: ({ query, signedIn }, services) => readSlices(query, signedIn, services),
  }),
  route({
    method: 'GET',
    path: '/api/reports/requests',
    access: 'requests',
    summary: 'The log of single requests, newest first, without their text',
    query: requestsQuery,
    answer: pageOf(namedRequest).extend({
      orderedBy: requestOrder.optional(),
      searchedBack: z.number().nullable().optional(),
    }),
    handle: async ({ query, signedIn }, services) => {
      const { scope: _, accountId: __, keyId: ___, ...filters } = query;
      requireOwnWords(query, signedIn);
      const whose = await reportScope(query, signedIn, services);
      const { requests, next, orderedBy, searchedBack } = await services.ask(reportOperations.listRequests, {
        ...filters,
        ...whose,
      });
      const shown = query.scope === 'fleet' ? requests : requests.map(withoutOperatorsWords);
      return { data: await withNames(shown, services), next, orderedBy, searchedBack };
    },
  }),
  route({
    method: 'GET',
    path: '/api/reports/failures',
    access: 'requests',
    summary: 'Why requests failed, by cause, the most frequent first',
    query: failuresQuery,
    answer: failureCauses,
    handle: async ({ query, signedIn }, services) => {
      const { startAt, endAt, model, provider } = query;
      const whose = await reportScope(query, signedIn, services);
      return services.ask(reportOperations.failures, { startAt, endAt, model, provider, ...whose });
    },
  }),
  route({
    method: 'GET',
    path: '/api/reports/refusals',
    access: 'requests',
    summary: 'Requests that were refused before a provider was asked, by cause, the most frequent first',
    query: refusalsQuery,
    answer: z.object({ total: z.number().int(), causes: z.array(namedRefusal) }),
    handle: async ({ query, signedIn }, services) => {
      const { startAt, endAt } = query;
      const whose = await reportScope(query, signedIn, services);
      const { total, causes } = await services.ask(refusalOperations.list, { startAt, endAt, ...whose });
      return { total, causes: await withNames(causes, services) };
    },
  }),
  route({
    method: 'GET',
    path: '/api/reports/requests/:id/charge',
    access: 'requests',
    summary: 'The charge of one request, line by line, by the id that the log of requests tells',
    query: chargeQuery,
    answer: explainedEvent,
    handle: async (asked, services) => {
      const id = eventId(asked);
      const { accountId } = await reportScope(asked.query, asked.signedIn, services);
      const found = await explainedOf(id, services);
      if (!found || (accountId && found.event.accountId !== accountId))
        throw new GatewayError(404, 'There is no such request.');
      return asked.query.scope === 'fleet' ? found : ownView(found);
    },
  }),
];

/** Null: there is no event of this id. Somebody else's must read alike. */
async function explainedOf(id: string, services: DashboardServices): Promise<ExplainedEvent | null> {
  try {
    const { events } = await services.ask(ledgerOperations.explain, { id, eventOnly: true });
    return events[0] ?? null;
  } catch (error) {
    if (error instanceof GatewayError && error.status === 404) return null;
    throw error;
  }
}

/**
 * What a provider charges the operator is not its customers' to know; their discount and mark-up stand in
 * their charge.
 */
function ownView(explained: ExplainedEvent): ExplainedEvent {
  const event = withoutOperatorsWords(explained.event);
  const { toldNanoUsd: _, ...served } = event.usage.served ?? {};
  return { ...explained, event: { ...event, usage: { ...event.usage, ...(event.usage.served && { served }) } } };
}

/** @throws GatewayError as `reportScope`; 400 for a window that metering cannot report. */
export async function readSeries(
  query: z.output<typeof seriesQuery>,
  asker: ReportAsker,
  services: DashboardServices,
): Promise<Series> {
  const { scope, accountId: _, keyId: __, ...window } = query;
  if (query.groupBy === 'account' && scope !== 'fleet')
    throw new GatewayError(400, 'groupBy: account goes with scope=fleet only.');
  return services.ask(reportOperations.series, { ...window, ...(await reportScope(query, asker, services)) });
}

/** The last answer of a key may end hours after it, and a window is widened to whole days. */
const keyEndedEarlierMs = 2 * 86_400_000;

/**
 * @throws GatewayError as `reportScope`; 400 where it is of everybody's keys, or of the projects of one key.
 */
export async function readSlices(
  query: z.output<typeof slicesQuery>,
  asker: ReportAsker,
  services: DashboardServices,
): Promise<SlicedWindow> {
  const { scope: _, accountId: __, keyId, dimension, ...asked } = query;
  const whose = await reportScope(query, asker, services);
  if (!whose.accountId && !whose.keyIds)
    throw new GatewayError(400, 'accountId: goes with scope=fleet, or keyId does.');
  if (dimension !== 'project') return services.ask(reportOperations.slices, { ...asked, dimension, ...whose });
  const { accountId } = whose;
  if (keyId !== undefined || accountId === undefined)
    throw new GatewayError(400, 'keyId: not with dimension=project, since a key is of one project.');
  return readProjects({ ...asked, accountId }, services);
}

/** What an account used by the projects that its keys are of today. */
export async function readProjects(
  asked: Omit<z.input<typeof reportOperations.projects.request>, 'projects'>,
  services: DashboardServices,
): Promise<SlicedWindow> {
  const since = Math.max(0, asked.startAt - keyEndedEarlierMs);
  const { projects } = await services.ask(accountsOperations.projects, { accountId: asked.accountId, since });
  return services.ask(reportOperations.projects, { ...asked, projects });
}
