import type { RequestsQuery } from '../api/reports';
import { windowOf } from '../usage/range';
import type { Range } from '../usage/range';

export const filterNames = [
  ...(['accountId', 'keyId', 'model', 'provider', 'state', 'status', 'requestId', 'idPart'] as const),
  ...(['surface', 'endUser', 'session', 'agent', 'tag', 'error', 'atLeastMs', 'said'] as const),
] as const;
export type FilterName = (typeof filterNames)[number];
export type Filters = Partial<Record<FilterName, string>>;

export function filtersFrom(search: URLSearchParams): Filters {
  return Object.fromEntries(filterNames.flatMap((name) => (search.get(name) ? [[name, search.get(name)]] : [])));
}

/** As the gateway makes ids: a text of this form is a whole one. */
const wholeId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * A whole id is looked for in all time, a part of one and everything else within the range. What should be a
 * number and is none is left out.
 */
export function requestsQueryOf(range: Range, filters: Filters, now: number): RequestsQuery {
  const { status, atLeastMs, idPart, requestId, said, ...rest } = filters;
  const isOfAllTime = requestId !== undefined || (idPart !== undefined && wholeId.test(idPart));
  const { startAt, endAt } = isOfAllTime ? { startAt: 0, endAt: now } : windowOf(range, now);
  return {
    ...rest,
    ...(requestId && { requestId }),
    ...(idPart && { idPart: wholeId.test(idPart) ? idPart.toLowerCase() : idPart }),
    ...(status && /^\d{3}$/.test(status) && { status }),
    ...(atLeastMs && /^\d{1,8}$/.test(atLeastMs) && { atLeastMs }),
    // A letter would find everything.
    ...(said && said.length > 1 && { said }),
    startAt,
    endAt,
  };
}

const dayMs = 86_400_000;
const eventId = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * Between which times a request is looked for by its id: a UUID of version 7 tells when it began, and nothing
 * lasts for a day. Null: there is no such id.
 */
export function windowOfId(id: string): { startAt: number; endAt: number } | null {
  const [, high, low] = eventId.exec(id) ?? [];
  if (high === undefined || low === undefined) return null;
  const beganAt = Number.parseInt(high + low, 16);
  return { startAt: Math.max(beganAt - dayMs, 0), endAt: beganAt + dayMs };
}
