import { decimalFromNanoUsd } from '@tollgate/contracts';
import type { NamedRequest, SeriesCounters, Slice, SeriesLine } from '@tollgate/contracts/metering';
import type { Cell } from './csv';

/** A column of an export: its name, and what it says of a row. */
export type Columns<Row> = Readonly<Record<string, (row: Row) => Cell>>;

const usd = (nanoUsd: string | null) => (nanoUsd === null ? null : decimalFromNanoUsd(BigInt(nanoUsd)));
const instant = (atMs: number) => new Date(atMs).toISOString();

/** `priceUnconfirmed`: sources disagree on the price behind a cost; null: it is the cost of no single model. */
export interface Priced {
  priceUnconfirmed: boolean | null;
}

/** Costs are US dollars, exact; empty means that the price is not known. Times are UTC. */
export const requestColumns: Columns<NamedRequest & Priced> = {
  request_id: ({ requestId }) => requestId,
  started_at: ({ startedAt }) => instant(startedAt),
  ended_at: ({ endedAt }) => instant(endedAt),
  account_id: ({ accountId }) => accountId,
  key_id: ({ keyId }) => keyId,
  requested_model: ({ requestedModel }) => requestedModel,
  model: ({ model }) => model,
  provider: ({ provider }) => provider,
  surface: ({ surface }) => surface,
  stream: ({ stream }) => stream,
  state: ({ state }) => state,
  status: ({ status }) => status,
  attempts: ({ attempts }) => attempts.length,
  input_tokens: ({ usage }) => usage.input,
  output_tokens: ({ usage }) => usage.output,
  estimated: ({ estimated }) => estimated,
  cost_usd: ({ costNanoUsd }) => usd(costNanoUsd),
  first_token_ms: ({ startedAt, firstTokenAt }) => (firstTokenAt === null ? null : firstTokenAt - startedAt),
  duration_ms: ({ startedAt, endedAt }) => endedAt - startedAt,
  from_cache: ({ cached }) => cached ?? false,
  account: ({ accountName }) => accountName,
  key: ({ keyName }) => keyName,
  end_user: ({ attribution }) => attribution?.endUser ?? null,
  session: ({ attribution }) => attribution?.session ?? null,
  agent: ({ attribution }) => attribution?.agent ?? null,
  tags: ({ attribution }) => attribution?.tags?.join(',') ?? null,
  price_unconfirmed: ({ priceUnconfirmed }) => priceUnconfirmed,
};

/** A point of a line of a series. */
interface SeriesRow extends SeriesCounters, Priced {
  name: string;
  at: number;
}

export const seriesColumns: Columns<SeriesRow> = {
  line: ({ name }) => name,
  at: ({ at }) => instant(at),
  requests: ({ requests }) => requests,
  failed: ({ failed }) => failed,
  cancelled: ({ cancelled }) => cancelled,
  input_tokens: ({ inputTokens }) => inputTokens,
  output_tokens: ({ outputTokens }) => outputTokens,
  cached_input_tokens: ({ cachedInputTokens }) => cachedInputTokens,
  reasoning_tokens: ({ reasoningTokens }) => reasoningTokens,
  cost_usd: ({ costNanoUsd }) => usd(costNanoUsd),
  unpriced_requests: ({ unpricedRequests }) => unpricedRequests,
  latency_p50_ms: ({ latency }) => latency?.p50 ?? null,
  latency_p90_ms: ({ latency }) => latency?.p90 ?? null,
  latency_p99_ms: ({ latency }) => latency?.p99 ?? null,
  first_token_p50_ms: ({ firstToken }) => firstToken?.p50 ?? null,
  first_token_p90_ms: ({ firstToken }) => firstToken?.p90 ?? null,
  first_token_p99_ms: ({ firstToken }) => firstToken?.p99 ?? null,
  from_cache: ({ cachedRequests }) => cachedRequests,
  price_unconfirmed: ({ priceUnconfirmed }) => priceUnconfirmed,
  tokens_per_second: ({ tokensPerSecond }) => tokensPerSecond,
};

export const sliceColumns: Columns<Slice> = {
  name: ({ name }) => name,
  requests: ({ requests }) => requests,
  unpriced_requests: ({ unpricedRequests }) => unpricedRequests,
  input_tokens: ({ inputTokens }) => inputTokens,
  output_tokens: ({ outputTokens }) => outputTokens,
  cost_usd: ({ costNanoUsd }) => usd(costNanoUsd),
};

/** The points of all lines, line by line. */
export function seriesRows(lines: readonly (Omit<SeriesLine, 'priceUnconfirmed'> & Priced)[]): SeriesRow[] {
  return lines.flatMap(({ name, priceUnconfirmed, points }) =>
    points.map((point) => ({ ...point, name, priceUnconfirmed })),
  );
}

/** The cells of a row, in the order of the columns. */
export function cellsOf<Row>(columns: Columns<Row>, row: Row): Cell[] {
  return Object.values(columns).map((read) => read(row));
}
