import { administrationOperations, namedAuditLine, type NamedAuditLine } from '@tollgate/contracts/accounts';
import { z } from 'zod';
import type { DashboardServices } from '../dashboard-services';
import { csvLine } from '../reports/csv';
import { Download, page, pageOf, route } from '../route';
import { withNames } from '../with-names';

const filters = {
  accountId: z.string().min(1).max(200).optional(),
  action: z.string().min(1).max(60).optional(),
  query: z.string().max(200).optional().describe('A part of who acted, or of the name of the account or key'),
};
/** How the log is asked for as a file. */
export const auditExport = z.strictObject({ ...filters, format: z.enum(['csv', 'json']) });
const exportPageSize = 500;

interface AuditPage {
  data: NamedAuditLine[];
  next: string | null;
}
type Wish = { [Name in keyof typeof filters]?: string | undefined } & { limit: number; after?: string | undefined };

/** Who did what. */
export const auditRoutes = [
  route({
    method: 'GET',
    path: '/api/admin/audit',
    access: 'administrator',
    summary: 'The audit log, newest first; it only grows',
    query: z.strictObject({ ...filters, ...page(500, 50) }),
    answer: pageOf(namedAuditLine),
    handle: ({ query }, services) => readPage(query, services),
  }),
  route({
    method: 'GET',
    path: '/api/admin/audit/export',
    access: 'administrator',
    summary: 'Download the audit log, newest first, as CSV or JSON',
    query: auditExport,
    handle: ({ query }, services) => exportAudit(query, services),
  }),
];

/** The whole log, as a file. @throws GatewayError what its first page is refused with. */
export async function exportAudit(
  { format, ...wish }: z.output<typeof auditExport>,
  services: DashboardServices,
): Promise<Download> {
  const read = (after?: string) => readPage({ ...wish, limit: exportPageSize, after }, services);
  // The first page is read before the answer begins, so that a refusal is still told as one.
  const pages = everyPage(await read(), read);
  return format === 'csv'
    ? new Download('tollgate-audit.csv', 'text/csv; charset=utf-8', csvPieces(pages))
    : new Download('tollgate-audit.json', 'application/json; charset=utf-8', jsonPieces(pages));
}

async function readPage(wish: Wish, services: DashboardServices): Promise<AuditPage> {
  const { lines, next } = await services.ask(administrationOperations.listAudit, wish);
  return { data: await withNames(lines, services), next };
}

async function* everyPage(
  first: AuditPage,
  read: (after: string) => Promise<AuditPage>,
): AsyncGenerator<NamedAuditLine[]> {
  for (let page = first; ; page = await read(page.next)) {
    yield page.data;
    if (page.next === null) return;
  }
}

async function* csvPieces(pages: AsyncIterable<NamedAuditLine[]>): AsyncGenerator<string> {
  yield csvLine(['at', 'actor', 'action', 'account_id', 'account', 'key_id', 'key', 'detail']);
  for await (const lines of pages)
    for (const { at, actor, action, accountId, accountName, keyId, keyName, detail } of lines)
      yield csvLine([
        ...[new Date(at).toISOString(), actor, action, accountId, accountName, keyId, keyName],
        JSON.stringify(detail),
      ]);
}

async function* jsonPieces(pages: AsyncIterable<NamedAuditLine[]>): AsyncGenerator<string> {
  let separator = '[';
  for await (const lines of pages)
    for (const line of lines) {
      yield `${separator}\n${JSON.stringify(line)}`;
      separator = ',';
    }
  yield separator === '[' ? '[]\n' : '\n]\n';
}
