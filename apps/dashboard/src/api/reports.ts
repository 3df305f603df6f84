import {
  explainedEvent,
  failureCauses,
  namedRefusal,
  namedRequest,
  requestOrder,
  series,
  slicedWindow,
  statement,
} from '@tollgate/contracts/metering';
import type {
  ExplainedEvent,
  FailureCauses,
  NamedRefusal,
  NamedRequest,
  RequestOrder,
  Series,
  SeriesGroup,
  SeriesStep,
  WindowDimension,
  SlicedWindow,
  Statement,
} from '@tollgate/contracts/metering';
import { z } from 'zod/mini';
import { get, withQuery } from './client';

/** Whose usage: one's own account's, or (administrators only) everybody's. */
export type ReportScope = 'own' | 'fleet';

/** Times are epoch milliseconds. `accountId` holds for administrators only. */
export interface SeriesQuery {
  startAt: number;
  endAt: number;
  step: SeriesStep;
  timeZone: string;
  groupBy: SeriesGroup;
  model?: string;
  provider?: string;
  keyId?: string;
  accountId?: string;
  maxLines?: number;
}

export interface RequestsQuery {
  startAt: number;
  endAt: number;
  model?: string;
  provider?: string;
  keyId?: string;
  state?: string;
  status?: string;
  requestId?: string;
  /** Occurs in the id of the request or of its event. */
  idPart?: string;
  accountId?: string;
  /** Of its usage event. */
  id?: string;
  surface?: string;
  endUser?: string;
  session?: string;
  agent?: string;
  tag?: string;
  /** Of the last attempt. */
  error?: string;
  atLeastMs?: string;
  /** Occurs in what was logged; of one's own only. */
  said?: string;
}

export interface SlicesQuery extends Pick<SeriesQuery, 'startAt' | 'endAt' | 'accountId' | 'model' | 'keyId'> {
  dimension: WindowDimension;
}

export interface RequestPage {
  data: NamedRequest[];
  next: string | null;
  orderedBy?: RequestOrder | undefined;
  /** Words were looked for only in what ended since then; null or absent: in the whole window. */
  searchedBack?: number | null | undefined;
}

const requestPage = z.object({
  data: z.array(namedRequest),
  next: z.nullable(z.string()),
  orderedBy: z.optional(requestOrder),
  searchedBack: z.optional(z.nullable(z.number())),
});
const scoped = (scope: ReportScope) => (scope === 'fleet' ? { scope } : {});

export const fetchSeries = (scope: ReportScope, query: SeriesQuery, signal?: AbortSignal): Promise<Series> =>
  get('/api/reports/series', series, { ...query, ...scoped(scope) }, signal);

export const fetchRequests = (
  scope: ReportScope,
  query: RequestsQuery & { limit: number; after?: string },
  signal?: AbortSignal,
): Promise<RequestPage> => get('/api/reports/requests', requestPage, { ...query, ...scoped(scope) }, signal);

/** What an account used by end user, session, agent, tag or project. */
export const fetchSlices = (
  scope: ReportScope,
  query: SlicesQuery & { most: number },
  signal?: AbortSignal,
): Promise<SlicedWindow> => get('/api/reports/slices', slicedWindow, { ...query, ...scoped(scope) }, signal);

/** Why requests failed. */
export const fetchFailures = (
  scope: ReportScope,
  query: Pick<RequestsQuery, 'startAt' | 'endAt' | 'keyId' | 'accountId' | 'model' | 'provider'>,
  signal?: AbortSignal,
): Promise<FailureCauses> => get('/api/reports/failures', failureCauses, { ...query, ...scoped(scope) }, signal);

const refusals = z.object({ total: z.number(), causes: z.array(namedRefusal) });

/** What the gateway refused by itself. `total` counts also what is not among the causes. */
export const fetchRefusals = (
  scope: ReportScope,
  query: Pick<RequestsQuery, 'startAt' | 'endAt' | 'keyId' | 'accountId'>,
  signal?: AbortSignal,
): Promise<{ total: number; causes: NamedRefusal[] }> =>
  get('/api/reports/refusals', refusals, { ...query, ...scoped(scope) }, signal);

export const fetchCharge = (eventId: string, scope: ReportScope, signal?: AbortSignal): Promise<ExplainedEvent> =>
  get(`/api/reports/requests/${encodeURIComponent(eventId)}/charge`, explainedEvent, scoped(scope), signal);

/** `month` of the calendar (UTC): `2026-11`. `accountId` goes with the scope `fleet`. */
export interface StatementQuery {
  scope: ReportScope;
  accountId?: string;
  month: string;
  project?: string;
}

/** What an account was charged in a month, by day and model. */
export const fetchStatement = ({ scope, ...query }: StatementQuery): Promise<Statement> =>
  get('/api/reports/statement', statement, { ...query, ...scoped(scope) });

/** Where a browser downloads it. */
export const statementAddress = ({ scope, ...query }: StatementQuery): string =>
  withQuery('/api/reports/statement', { format: 'csv', ...query, ...scoped(scope) });

/** Where a browser downloads what a page shows. */
export const exportAddress = (
  what: 'series' | 'requests' | 'slices',
  format: 'csv' | 'json',
  scope: ReportScope,
  query: SeriesQuery | RequestsQuery | SlicesQuery,
): string => withQuery('/api/reports/export', { what, format, ...query, ...scoped(scope) });
