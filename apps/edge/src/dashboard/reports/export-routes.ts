import { GatewayError } from '@tollgate/contracts';
import { reportOperations, slicesAndRest, windowDimensions, type NamedRequest } from '@tollgate/contracts/metering';
import { z } from 'zod';
import type { DashboardServices } from '../dashboard-services';
import { Download, route } from '../route';
import { requirePermission } from '../require-permission';
import { withNames, withoutOperatorsWords } from '../with-names';
import { csvLine } from './csv';
import { cellsOf, type Priced, requestColumns, seriesColumns, seriesRows, sliceColumns } from './export-rows';
import {
  narrowingNames,
  reportScope,
  type ReportAsker,
  requestsQuery,
  requireOwnWords,
  seriesQuery,
} from './report-query';
import { readSeries, readSlices } from './report-routes';

const exportQuery = z.strictObject({
  what: z.enum(['series', 'requests', 'slices']),
  format: z.enum(['csv', 'json']),
  ...requestsQuery.omit({ limit: true, after: true }).shape,
  ...seriesQuery.partial({ step: true }).shape,
  dimension: z.enum(windowDimensions).optional().describe('With what=slices'),
});
type ExportQuery = z.output<typeof exportQuery>;

/** What single requests are found by; of these series know the provider alone, slices none. */
const otherFilters = ['provider', ...narrowingNames] as const;

/** What is worked out from who asks, or page by page. */
const notAsked = { scope: true, accountId: true, keyId: true, limit: true, after: true } as const;

const pageSize = 200;
const types = { csv: 'text/csv; charset=utf-8', json: 'application/json; charset=utf-8' };

/** What pages show, as a file. */
export const exportRoutes = [
  route({
    method: 'GET',
    path: '/api/reports/export',
    access: 'usage',
    summary: 'Download a series, the log of requests (for who sees it) or who spent it, as CSV or JSON',
    query: exportQuery,
    handle: async ({ query, signedIn }, services) => {
      if (query.what === 'requests') {
        requirePermission(signedIn, 'requests');
        requireOwnWords(query, signedIn);
      }
      return exportUsage(query, signedIn, services);
    },
  }),
];

/** How usage is asked for as a file by who sees that of everybody, without what was said. */
export const wantedExport = exportQuery.omit({ scope: true, said: true });

/** @throws GatewayError as what is asked for is refused where it is no file. */
export async function exportUsage(
  query: ExportQuery,
  asker: ReportAsker,
  services: DashboardServices,
): Promise<Download> {
  const { what, format } = query;
  return new Download(`tollgate-${what}.${format}`, types[format], await piecesOf[what](query, asker, services));
}

/** @throws GatewayError as `readSeries`; 400 for filters that series know nothing of. */
async function seriesPieces(query: ExportQuery, asker: ReportAsker, services: DashboardServices) {
  requireNone(query, narrowingNames);
  const { scope, accountId, keyId, startAt, endAt, model, provider, timeZone, groupBy, maxLines, format } = query;
  const window = { scope, accountId, keyId, startAt, endAt, model, provider };
  const step = query.step ?? 'day';
  const told = await readSeries({ ...window, step, timeZone, groupBy, maxLines }, asker, services);
  const lines = told.lines.map((line) => ({
    ...line,
    priceUnconfirmed: services.catalog.priceStanding(line.name)?.unconfirmed ?? null,
  }));
  if (format === 'json') return once([JSON.stringify({ ...told, lines })]);
  return once([
    csvLine(Object.keys(seriesColumns)),
    ...seriesRows(lines).map((row) => csvLine(cellsOf(seriesColumns, row))),
  ]);
}

/** @throws GatewayError as `readSlices`; 400 for filters that slices know nothing of. */
async function slicePieces(query: ExportQuery, asker: ReportAsker, services: DashboardServices) {
  requireNone(query, otherFilters);
  const { scope, accountId, keyId, startAt, endAt, model, dimension = 'end_user', format } = query;
  const asked = { scope, accountId, keyId, startAt, endAt, model, dimension, most: 1_000 };
  const told = await readSlices(asked, asker, services);
  if (format === 'json') return once([JSON.stringify(told)]);
  return once([
    csvLine(Object.keys(sliceColumns)),
    ...slicesAndRest(told).map((row) => csvLine(cellsOf(sliceColumns, row))),
  ]);
}

/** @throws GatewayError 400 for a filter that would be passed over in silence. */
function requireNone(query: ExportQuery, filters: readonly (keyof ExportQuery)[]): void {
  const ignored = filters.filter((name) => query[name] !== undefined);
  if (ignored.length > 0) throw new GatewayError(400, `${ignored.join(', ')}: not with what=${query.what}.`);
}

async function* once(pieces: readonly string[]): AsyncGenerator<string> {
  yield* pieces;
}

const piecesOf = { series: seriesPieces, slices: slicePieces, requests: requestPieces };

/** The first page is read before the answer begins, so that a refusal is still told as one. */
async function requestPieces(query: ExportQuery, asker: ReportAsker, services: DashboardServices) {
  const { format } = query;
  const whose = await reportScope(query, asker, services);
  const request = { ...requestsQuery.omit(notAsked).strip().parse(query), ...whose, limit: pageSize };
  const readPage = async (after?: string) => {
    const { requests, next } = await services.ask(reportOperations.listRequests, { ...request, after });
    const shown = query.scope === 'fleet' ? requests : requests.map(withoutOperatorsWords);
    const named = await withNames(shown, services);
    const marked = named.map((each) => ({
      ...each,
      priceUnconfirmed: services.catalog.priceStanding(each.model)?.unconfirmed ?? false,
    }));
    return { requests: marked, next };
  };
  const pages = everyPage(await readPage(), readPage);
  return format === 'csv' ? csvPieces(pages) : jsonPieces(pages);
}

type ExportedRequest = NamedRequest & Priced;

interface RequestPage {
  requests: ExportedRequest[];
  next: string | null;
}

/** The next page is asked for when the reader took the last one, so that a large export takes no memory. */
async function* everyPage(
  first: RequestPage,
  readPage: (after: string) => Promise<RequestPage>,
): AsyncGenerator<ExportedRequest[]> {
  for (let page = first; ; page = await readPage(page.next)) {
    yield page.requests;
    if (page.next === null) return;
  }
}

async function* csvPieces(pages: AsyncIterable<ExportedRequest[]>): AsyncGenerator<string> {
  yield csvLine(Object.keys(requestColumns));
  for await (const requests of pages)
    if (requests.length > 0) yield requests.map((request) => csvLine(cellsOf(requestColumns, request))).join('');
}

async function* jsonPieces(pages: AsyncIterable<ExportedRequest[]>): AsyncGenerator<string> {
  let separator = '[';
  for await (const requests of pages)
    for (const request of requests) {
      yield `${separator}\n${JSON.stringify(request)}`;
      separator = ',';
    }
  yield separator === '[' ? '[]\n' : '\n]\n';
}
