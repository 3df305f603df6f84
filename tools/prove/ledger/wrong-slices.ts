import { Client } from 'pg';
import { z } from 'zod';
import type { Stack } from '../../stack/stack';

/** What the load says of for whom its requests are, by the column of the ledger that keeps it. */
const dimensions = { session: 'session', tag: 'unnest(tags)' } as const;
type Dimension = keyof typeof dimensions;

const none = '(none)';
const sums = z.object({
  requests: z.coerce.number(),
  input_tokens: z.coerce.number(),
  output_tokens: z.coerce.number(),
  cost_usd: z.coerce.number(),
});
type Sums = z.infer<typeof sums>;

/**
 * For whom a request of the load is, as headers: one of 200 sessions and two tags; every tenth says nothing.
 */
export function saidFor(number: number): Record<string, string> {
  if (number % 10 === 0) return {};
  return { 'x-session-id': `session-${number % 200}`, 'x-tollgate-tags': `all,team=${number % 3}` };
}

/**
 * A sentence for each slice that GET /api/metrics tells the holder of a key and that is not that of its
 * events, and where slices that exclude each other do not sum to the whole.
 */
export async function wrongSlices(stack: Stack, apiKey: string, keyId: string): Promise<string[]> {
  const problems: string[] = [];
  for (const dimension of ['session', 'tag'] as const) {
    const { told, totals } = await toldSlices(stack.baseUrl, apiKey, dimension);
    const counted = await countedSlices(stack.databaseUrl, keyId, dimension);
    for (const name of new Set([...told.keys(), ...counted.keys()])) {
      const [seen, expected] = [inWords(told.get(name)), inWords(counted.get(name))];
      if (seen !== expected) problems.push(`${dimension} ${name}: the report says ${seen}, the events ${expected}`);
    }
    if (counted.size < 4) problems.push(`${dimension}: the load has no more than ${counted.size} slices`);
    const whole = inWords(sumOf([...told.values()]));
    if (dimension === 'session' && whole !== inWords(totals))
      problems.push(`${dimension}: the slices are ${whole}, the whole is ${inWords(totals)}`);
  }
  return problems;
}

async function toldSlices(
  baseUrl: string,
  apiKey: string,
  dimension: Dimension,
): Promise<{ told: Map<string, Sums>; totals: Sums }> {
  const address = `${baseUrl}/api/metrics?period=day&group_by=${dimension}`;
  const response = await fetch(address, { headers: { authorization: `Bearer ${apiKey}` } });
  if (!response.ok) throw new Error(`${address} answered ${response.status}: ${await response.text()}`);
  const slice = sums.extend({ [dimension]: z.string() });
  const report = z.looseObject({ totals: sums }).parse(await response.json());
  const slices = z.array(slice).parse(report[`by_${dimension}`]);
  return {
    told: new Map(slices.map((one) => [z.string().parse(one[dimension]), sums.parse(one)])),
    totals: report.totals,
  };
}

async function countedSlices(databaseUrl: string, keyId: string, dimension: Dimension): Promise<Map<string, Sums>> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query(
      `SELECT coalesce(name, $2) AS name, count(*) AS requests, sum(input_tokens) AS input_tokens, sum(output_tokens) AS output_tokens,
         coalesce(sum(cost_nano_usd), 0) / 1e9 AS cost_usd
       FROM usage_event LEFT JOIN LATERAL (SELECT ${dimensions[dimension]} AS name) AS said ON true
       WHERE key_id = $1 AND NOT cached GROUP BY 1`,
      [keyId, none],
    );
    return new Map(rows.map((row: unknown) => [z.object({ name: z.string() }).parse(row).name, sums.parse(row)]));
  } finally {
    await client.end();
  }
}

function sumOf(all: readonly Sums[]): Sums {
  const sum = (of: keyof Sums): number => all.reduce((total, one) => total + one[of], 0);
  // Whole nano-dollars, so that nothing is lost on the way.
  const nanoUsd = all.reduce((total, { cost_usd }) => total + Math.round(cost_usd * 1e9), 0);
  return {
    requests: sum('requests'),
    input_tokens: sum('input_tokens'),
    output_tokens: sum('output_tokens'),
    cost_usd: nanoUsd / 1e9,
  };
}

/** A double holds sums below nine million dollars to the nano-dollar. */
function inWords(slice: Sums | undefined): string {
  if (!slice) return 'nothing';
  const { requests, input_tokens, output_tokens, cost_usd } = slice;
  return `${requests} requests, ${input_tokens} + ${output_tokens} tokens, ${Math.round(cost_usd * 1e9)} nano-dollars`;
}
