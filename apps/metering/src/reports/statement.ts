import { monthStartMs } from '@tollgate/contracts';
import { mostStatementModels, otherModels, responseCacheProvider } from '@tollgate/contracts/metering';
import type { Statement, StatementLine, StatementSum, statementOperations } from '@tollgate/contracts/metering';
import { isStatementTimeout, type Queries } from '@tollgate/database';
import type { z } from 'zod';
import { everybody } from '../ingest/everybody';
import { entry } from '../ingest/fold-rows';
import { scopeConditions, type Scope } from './scope';

type Asked = z.output<typeof statementOperations.read.request>;
/** `recount`: its statements may take minutes. */
type Readers = Record<'operations' | 'recount', Queries<'metering'>>;
type SumRow = Pick<StatementLine, 'model' | 'costNanoUsd'> &
  Record<'requests' | 'unpriced' | 'input' | 'cachedInput' | 'output', bigint>;

const dayMs = 86_400_000;

/**
 * What an account, or some of its keys, was charged in a month (UTC), from the sums by hour. Each day is a
 * query of its own, one after the other: those of an account with many keys are many rows, and others have
 * their turn in between. From a day on that takes longer than an operation may, they are read on the
 * connection that has time for it.
 */
export async function readStatement({ operations, recount }: Readers, { month, ...scope }: Asked): Promise<Statement> {
  const [startAt, endAt] = boundsOf(month);
  const lines: StatementLine[] = [];
  const until = Math.min(endAt, Date.now() + dayMs);
  let reader = operations;
  const onceMore = (error: unknown, at: number) => {
    if (reader === recount || !isStatementTimeout(error)) throw error;
    reader = recount;
    return linesOf(reader, at, scope);
  };
  for (let at = startAt; at < until; at += dayMs)
    lines.push(...(await linesOf(reader, at, scope).catch((error: unknown) => onceMore(error, at))));
  const told = withOthers(lines);
  return { month, startAt, endAt, total: sumOf(told), lines: told };
}

/** The lines of the day that begins at `atMs`, by model. */
async function linesOf(database: Queries<'metering'>, atMs: number, scope: Scope): Promise<StatementLine[]> {
  const rows = await database.$queryRaw<SumRow[]>`
    SELECT model, sum(requests)::bigint AS requests, sum(unpriced)::bigint AS unpriced,
      sum(input_tokens)::bigint AS input, sum(cached_input)::bigint AS "cachedInput",
      sum(output_tokens)::bigint AS output, sum(cost_nano_usd)::text AS "costNanoUsd"
    FROM usage_hour
    WHERE at >= ${new Date(atMs)} AND at < ${new Date(atMs + dayMs)}
      AND key_id <> ${everybody} AND provider <> ${responseCacheProvider} ${scopeConditions(scope)}
    GROUP BY model ORDER BY model`;
  const day = new Date(atMs).toISOString().slice(0, 10);
  return rows.map(({ model, requests, unpriced, input, cachedInput, output, costNanoUsd }) => ({
    day,
    model,
    requests: Number(requests),
    unpricedRequests: Number(unpriced),
    inputTokens: Number(input),
    cachedInputTokens: Number(cachedInput),
    outputTokens: Number(output),
    costNanoUsd,
  }));
}

/** The first instant of a month (UTC) and of the next one, epoch milliseconds. */
function boundsOf(month: string): readonly [number, number] {
  const startAt = Date.parse(`${month}-01T00:00:00Z`);
  return [startAt, monthStartMs(startAt, 1)];
}

/** The lines with one of each day for all models but those that cost most in the month. */
function withOthers(lines: readonly StatementLine[]): StatementLine[] {
  const ofModels = groupedBy(lines, 'model');
  if (ofModels.size <= mostStatementModels) return [...lines];
  const sums = Array.from(ofModels, ([model, own]) => ({ model, ...sumOf(own) }));
  const told = new Set(
    sums
      .sort(byCost)
      .slice(0, mostStatementModels)
      .map(({ model }) => model),
  );
  const ofDays = groupedBy(lines, 'day');
  return [...ofDays].flatMap(([day, own]) => {
    const others = own.filter(({ model }) => !told.has(model));
    const rest = others.length > 0 ? [{ day, model: otherModels, ...sumOf(others) }] : [];
    return [...rest, ...own.filter(({ model }) => told.has(model))];
  });
}

function groupedBy(lines: readonly StatementLine[], by: 'day' | 'model'): Map<string, StatementLine[]> {
  const groups = new Map<string, StatementLine[]>();
  for (const line of lines) entry(groups, line[by], () => []).push(line);
  return groups;
}

type ModelSum = StatementSum & Pick<StatementLine, 'model'>;

/** The most costly first, then the most used. */
function byCost(one: ModelSum, other: ModelSum): number {
  const more = BigInt(other.costNanoUsd) - BigInt(one.costNanoUsd);
  if (more !== 0n) return more > 0n ? 1 : -1;
  return other.requests - one.requests || (one.model < other.model ? -1 : 1);
}

function sumOf(lines: readonly StatementSum[]): StatementSum {
  const sum = (of: Exclude<keyof StatementSum, 'costNanoUsd'>) => lines.reduce((total, line) => total + line[of], 0);
  return {
    requests: sum('requests'),
    unpricedRequests: sum('unpricedRequests'),
    inputTokens: sum('inputTokens'),
    cachedInputTokens: sum('cachedInputTokens'),
    outputTokens: sum('outputTokens'),
    costNanoUsd: lines.reduce((total, { costNanoUsd }) => total + BigInt(costNanoUsd), 0n).toString(),
  };
}
