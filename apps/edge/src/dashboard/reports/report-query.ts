import { epochMs, GatewayError, surfaceNames } from '@tollgate/contracts';
import { accountsOperations, type SignedIn } from '@tollgate/contracts/accounts';
import { longestAttributionName, seriesGroups, seriesSteps, windowDimensions } from '@tollgate/contracts/metering';
import { z } from 'zod';
import type { DashboardServices } from '../dashboard-services';
import { requirePermission } from '../require-permission';

const time = z.coerce.number().pipe(epochMs).describe('Epoch milliseconds');
const id = z.string().min(1).max(256).optional();
const name = z.string().min(1).max(longestAttributionName).optional();

const scope = {
  scope: z.enum(['own', 'fleet']).default('own').describe('fleet: of everybody, for administrators'),
  accountId: id.describe('With scope=fleet: of this account'),
};
const window = { startAt: time, endAt: time, model: id, provider: id, keyId: id };

/** How a series is asked for. */
export const seriesQuery = z.strictObject({
  ...scope,
  ...window,
  step: z.enum(seriesSteps),
  timeZone: z.string().max(64).default('UTC').describe('An IANA name'),
  groupBy: z.enum(seriesGroups).default('none').describe('account: with scope=fleet'),
  maxLines: z.coerce.number().int().min(1).max(1_000).default(20),
});

/** What the log of requests is narrowed by, besides whose they are, their model and their provider. */
const narrowing = {
  state: z.enum(['completed', 'failed', 'cancelled']).optional(),
  status: z.coerce.number().int().min(100).max(599).optional(),
  requestId: z.string().min(1).max(200).optional(),
  idPart: z.string().min(1).max(200).optional().describe('Occurs in the id of the request or of its event'),
  id: z.uuid().optional().describe('Of the usage event'),
  surface: z.enum(surfaceNames).optional(),
  endUser: name,
  session: name,
  agent: name,
  tag: name,
  error: id.describe('Of the last attempt'),
  atLeastMs: z.coerce.number().int().min(0).max(86_400_000).optional().describe('Took at least so long'),
  said: z.string().min(2).max(200).optional().describe('Occurs in what was logged; not with scope=fleet'),
};

/** What series and slices know nothing of. */
export const narrowingNames = Object.keys(narrowing) as (keyof typeof narrowing)[];

/** How the log of requests is asked for. */
export const requestsQuery = z.strictObject({
  ...scope,
  ...window,
  ...narrowing,
  limit: z.coerce.number().int().min(1).max(200).default(50),
  after: z.string().min(1).max(200).optional(),
});

/** How usage is asked for by end user, session, agent, tag or project. */
export const slicesQuery = z.strictObject({
  ...scope,
  startAt: time,
  endAt: time,
  model: id,
  keyId: id,
  dimension: z.enum(windowDimensions),
  most: z.coerce.number().int().min(1).max(1_000).default(100),
});

/** How the causes of failed requests are asked for. */
export const failuresQuery = z.strictObject({ ...scope, ...window });

/** How refused requests are asked for. */
export const refusalsQuery = z.strictObject({ ...scope, startAt: time, endAt: time, keyId: id });

/** How the charge of a request is asked for. */
export const chargeQuery = z.strictObject({ scope: scope.scope });

/**
 * Who looks for words in what was said reads it, request by request.
 * @throws GatewayError 400 for what others said, 403 for who reads no texts in their account.
 */
export function requireOwnWords(
  { scope: asked, said }: Pick<z.output<typeof requestsQuery>, 'scope' | 'said'>,
  signedIn: SignedIn,
): void {
  if (said === undefined) return;
  if (asked === 'fleet') throw new GatewayError(400, 'said: not with scope=fleet.');
  requirePermission(signedIn, 'texts:read');
}

/** Who asks for reports, as far as they care. */
export interface ReportAsker {
  person: Pick<SignedIn['person'], 'role'>;
  account: Pick<SignedIn['account'], 'id'>;
}

type Scoped = Pick<z.output<typeof requestsQuery>, 'scope'> &
  Partial<Pick<z.output<typeof requestsQuery>, 'accountId' | 'keyId'>>;

/**
 * Whose usage somebody gets to see, in the words of metering: their own account's, whatever they ask for,
 * unless they administer and ask for the fleet's.
 * @throws GatewayError 400, 403; 404 for a key of somebody else.
 */
export async function reportScope(
  { scope: asked, accountId, keyId }: Scoped,
  { person, account }: ReportAsker,
  services: DashboardServices,
): Promise<{ accountId?: string; keyIds?: string[] }> {
  const keyIds = keyId === undefined ? {} : { keyIds: [keyId] };
  if (asked === 'fleet') {
    if (person.role !== 'administrator')
      throw new GatewayError(403, 'Only administrators of the gateway see the usage of everybody.');
    return { ...keyIds, ...(accountId === undefined ? {} : { accountId }) };
  }
  if (accountId !== undefined) throw new GatewayError(400, 'accountId: goes with scope=fleet only.');
  if (keyId !== undefined) await services.ask(accountsOperations.keyDigest, { keyId, accountId: account.id });
  return { ...keyIds, accountId: account.id };
}
