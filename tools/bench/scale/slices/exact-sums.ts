import { reportOperations, sliceDimensions } from '@tollgate/contracts/metering';
import type { SlicedWindow } from '@tollgate/contracts/metering';
import type { ControlClient } from '@tollgate/messaging';
import type { Client } from 'pg';
import { minutesSinceMs, simulatedKey } from '../history';
import { dayMs, pastAccount } from './past';
import type { SlicedPast } from './past';
import type { ProjectsOf } from './projects-of';

type Counted = Pick<SlicedWindow['totals'], 'requests' | 'inputTokens' | 'outputTokens' | 'costNanoUsd'>;

/**
 * All sums of the ledger against what the bench's events said: of each dimension and day, of all accounts.
 * Returns how many sums were compared. @throws Error when one differs.
 */
export async function exactSums(database: Client, past: SlicedPast): Promise<number> {
  const sums = (dimension: string, table: string, where: string) =>
    `SELECT ${dimension} AS dimension, date_trunc('day', at, 'UTC') AS day, '${table}' AS of, sum(requests) AS requests, sum(input_tokens) AS input,
       sum(output_tokens) AS output, sum(cost_nano_usd) AS cost FROM ${table} WHERE ${where} GROUP BY 1, 2`;
  const ofSlices = `CASE dimension WHEN 'tagged' THEN 'tag' ELSE dimension END`;
  const { rows } = await database.query<{ compared: number; different: string | null }>(
    `WITH said AS (SELECT dimension, at AS day, sum(requests) AS requests, sum(input_tokens) AS input, sum(output_tokens) AS output,
         sum(cost_nano_usd) AS cost FROM scale_said GROUP BY 1, 2),
       expected AS (
         SELECT said.*, of FROM said CROSS JOIN LATERAL unnest(CASE WHEN dimension = 'all' THEN '{usage_hour}'::text[]
           WHEN day >= to_timestamp($1) THEN '{usage_slice_day,usage_slice_hour}' ELSE '{usage_slice_day}' END) AS of),
       found AS (
         ${sums(`'all'`, 'usage_hour', `key_id <> '*'`)}
         UNION ALL ${sums(ofSlices, 'usage_slice_day', `dimension <> 'tag'`)}
         UNION ALL ${sums(ofSlices, 'usage_slice_hour', `dimension <> 'tag'`)}),
       compared AS (
         SELECT dimension, day, of, expected.requests IS NOT DISTINCT FROM found.requests AND expected.input IS NOT DISTINCT FROM found.input
           AND expected.output IS NOT DISTINCT FROM found.output AND expected.cost IS NOT DISTINCT FROM found.cost AS same
         FROM expected FULL JOIN found USING (dimension, day, of))
     SELECT count(*)::int AS compared, min(of || ' ' || dimension || ' ' || day::text) FILTER (WHERE NOT same) AS different FROM compared`,
    [Math.ceil(minutesSinceMs(past) / 1_000)],
  );
  const [found] = rows;
  if (!found || found.different !== null) throw new Error(`The sums differ from the events: ${found?.different}.`);
  return found.compared;
}

/**
 * Blocks of days of all accounts against what the bench's events said. Returns how many sums were compared.
 * @throws Error when one differs.
 */
export async function exactBlocks(database: Client): Promise<number> {
  const { rows } = await database.query<{ compared: number; different: string | null }>(
    `WITH found AS (
       SELECT account_id, days, block.at, CASE sum.dimension WHEN 'key' THEN 'all' ELSE CASE name WHEN 'tagged' THEN 'tag' ELSE name END END AS dimension,
         sum(requests) AS requests, sum(input_tokens) AS input, sum(output_tokens) AS output, sum(cost_nano_usd) AS cost
       FROM usage_block AS block JOIN usage_block_sum AS sum USING (build)
       WHERE key_id = '' AND build NOT IN (SELECT build FROM usage_block_stale) AND (sum.dimension = 'key' OR sum.dimension = 'named' AND name <> 'tag') GROUP BY 1, 2, 3, 4),
     compared AS (
       SELECT found.*, (requests, input, output, cost) = (
         SELECT sum(requests), sum(input_tokens), sum(output_tokens), sum(cost_nano_usd) FROM scale_said AS said
         WHERE said.account_id = found.account_id AND said.dimension = found.dimension AND said.at >= found.at AND said.at < found.at + days * interval '24 hours') AS same
       FROM found)
     SELECT count(*)::int AS compared, min(account_id || ' ' || dimension || ' ' || days || ' days ' || at::text) FILTER (WHERE same IS NOT TRUE) AS different FROM compared`,
  );
  const [found] = rows;
  if (!found || found.different !== null) throw new Error(`A block differs from the events: ${found?.different}.`);
  return found.compared;
}

/**
 * What slice reports of accounts say of each month against what the bench's events said: the whole, what has
 * a name, and what has none. Returns how many reports were compared. @throws Error when one differs.
 */
export async function exactReports(
  database: Client,
  client: ControlClient,
  past: SlicedPast,
  projectsOf: ProjectsOf,
  accounts: readonly number[],
): Promise<number> {
  let compared = 0;
  const firstDay = Math.ceil((past.untilMs - past.lengthMs) / dayMs) * dayMs;
  for (const account of accounts)
    for (let startAt = firstDay; startAt < past.untilMs; startAt += 30 * dayMs) {
      const accountId = pastAccount(account);
      const window = { accountId, startAt, endAt: startAt + 30 * dayMs };
      const all = await saidOf(database, window, 'all');
      for (const dimension of sliceDimensions) {
        const named = await saidOf(database, window, dimension);
        const report = await client.call(reportOperations.slices, { ...window, dimension, most: 1_000 }, times);
        const none = less(all, named);
        mustEqual(`the whole of ${dimension}`, report.totals, all);
        mustEqual(`what has no ${dimension}`, report.none, none);
        // What has several tags is in the slice of each.
        if (dimension !== 'tag')
          mustEqual(`the slices by ${dimension}`, sumOf([...report.slices, report.other]), named);
        compared++;
      }
      const projects = projectsOf(account);
      const report = await client.call(reportOperations.projects, { ...window, projects, most: 1_000 }, times);
      mustEqual('the projects', sumOf([...report.slices, report.other, report.none]), all);
      compared++;
    }
  return compared;
}

/**
 * Whole hours from UTC: the bench writes rows by minute of a month only, and charts of other zones read those
 * of three.
 */
const chartZones = ['UTC', 'America/Los_Angeles', 'Pacific/Auckland'];

/**
 * Charts of all days of the largest account, and of its busiest key, against the rows by hour, which equal
 * the events. Returns how many charts were compared. @throws Error when one differs.
 */
export async function exactCharts(database: Client, client: ControlClient, past: SlicedPast): Promise<number> {
  const { untilMs, lengthMs } = past;
  const accountId = pastAccount(0);
  const window = { startAt: untilMs - lengthMs - 2 * dayMs, endAt: untilMs + 2 * dayMs, step: 'day' as const };
  let compared = 0;
  for (const keyIds of [undefined, [simulatedKey(0)]]) {
    const all = await chartedOf(database, accountId, keyIds);
    for (const timeZone of chartZones)
      for (const groupBy of ['model', 'provider', 'key'] as const) {
        const asked = { ...window, accountId, timeZone, groupBy, ...(keyIds && { keyIds }) };
        const { totals, lines } = await client.call(reportOperations.series, asked, times);
        const what = `the chart by ${groupBy} of ${keyIds?.[0] ?? 'all keys'} in ${timeZone}`;
        mustEqual(what, totals, all);
        mustEqual(`the lines of ${what}`, sumOf(lines.map((line) => line.totals)), all);
        mustEqual(`the points of ${what}`, sumOf(lines.flatMap(({ points }) => points)), all);
        compared++;
      }
  }
  return compared;
}

async function chartedOf(database: Client, accountId: string, keyIds: string[] | undefined): Promise<Counted> {
  return countedOf(
    database,
    `FROM usage_hour WHERE account_id = $1 AND key_id <> '*' AND ($2::text[] IS NULL OR key_id = ANY($2))`,
    [accountId, keyIds ?? null],
  );
}

const times = { timeoutMs: 60_000 };

async function saidOf(
  database: Client,
  { accountId, startAt, endAt }: { accountId: string; startAt: number; endAt: number },
  dimension: string,
): Promise<Counted> {
  return countedOf(
    database,
    'FROM scale_said WHERE account_id = $1 AND at >= to_timestamp($2) AND at < to_timestamp($3) AND dimension = $4',
    [accountId, startAt / 1_000, endAt / 1_000, dimension],
  );
}

async function countedOf(database: Client, from: string, values: unknown[]): Promise<Counted> {
  const { rows } = await database.query<{ requests: string; input: string; output: string; cost: string }>(
    `SELECT coalesce(sum(requests), 0)::text AS requests, coalesce(sum(input_tokens), 0)::text AS input,
       coalesce(sum(output_tokens), 0)::text AS output, coalesce(sum(cost_nano_usd), 0)::text AS cost ${from}`,
    values,
  );
  const [row] = rows;
  return {
    requests: Number(row?.requests),
    inputTokens: Number(row?.input),
    outputTokens: Number(row?.output),
    costNanoUsd: row?.cost ?? '0',
  };
}

function less(whole: Counted, part: Counted): Counted {
  return {
    requests: whole.requests - part.requests,
    inputTokens: whole.inputTokens - part.inputTokens,
    outputTokens: whole.outputTokens - part.outputTokens,
    costNanoUsd: (BigInt(whole.costNanoUsd) - BigInt(part.costNanoUsd)).toString(),
  };
}

function sumOf(all: readonly Counted[]): Counted {
  return {
    requests: all.reduce((sum, { requests }) => sum + requests, 0),
    inputTokens: all.reduce((sum, { inputTokens }) => sum + inputTokens, 0),
    outputTokens: all.reduce((sum, { outputTokens }) => sum + outputTokens, 0),
    costNanoUsd: all.reduce((sum, { costNanoUsd }) => sum + BigInt(costNanoUsd), 0n).toString(),
  };
}

function mustEqual(what: string, found: Counted, expected: Counted): void {
  const fields = ['requests', 'inputTokens', 'outputTokens', 'costNanoUsd'] as const;
  const wrong = fields.find((field) => found[field] !== expected[field]);
  if (wrong !== undefined) throw new Error(`${what}: ${wrong} is ${found[wrong]} and should be ${expected[wrong]}.`);
}
