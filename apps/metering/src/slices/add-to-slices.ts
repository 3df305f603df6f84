import { Prisma } from '@tollgate/database';
import type { Statements } from '@tollgate/database';
import { entry } from '../ingest/fold-rows';
import { postgresJson } from '../ingest/postgres-json';
import { namesIn, others } from './slice-changes';
import type { SliceChange, SummedDimension } from './slice-changes';
import { areToldApart } from './told-apart';
import type { SaidName } from './told-apart';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** What is added to one row. `at`: the start of its interval, epoch milliseconds. */
interface SliceSums {
  key: string;
  dimension: SummedDimension;
  at: number;
  name: string;
  model: string;
  requests: number;
  unpriced: number;
  input: number;
  output: number;
  nanoUsd: bigint;
}

/**
 * Adds changes to the sums by hour and by day of those that events were for. It comes after the sums by hour
 * in a transaction that changes these, and locks rows in the order of their keys.
 */
export async function addToSlices(transaction: Statements, changes: readonly SliceChange[]): Promise<void> {
  if (changes.length === 0) return;
  const said = new Map<string, SaidName>();
  for (const change of changes) for (const name of saidBy(change)) said.set(idOf(name), name);
  const toldApart = await areToldApart(transaction, [...said.values()]);
  const apart = new Set([...said.keys()].filter((_id, index) => toldApart[index]));
  const [hours, days] = [new Map<string, SliceSums>(), new Map<string, SliceSums>()];
  for (const change of changes) {
    // Names that are not told apart are one, in which an event counts once.
    const slices = new Map<string, SaidName>();
    for (const one of saidBy(change)) {
      const slice = apart.has(idOf(one)) ? one : { ...one, name: others };
      slices.set(idOf(slice), slice);
    }
    for (const slice of slices.values()) {
      addTo(days, slice, change);
      addTo(hours, { ...slice, at: change.endedAt - (change.endedAt % hourMs) }, change);
    }
  }
  await write(transaction, Prisma.sql`usage_slice_hour`, hours.values());
  await write(transaction, Prisma.sql`usage_slice_day`, days.values());
}

function saidBy({ key, endedAt, attribution }: SliceChange): SaidName[] {
  const at = endedAt - (endedAt % dayMs);
  return namesIn(attribution).flatMap(([dimension, names]) => names.map((name) => ({ key, dimension, at, name })));
}

function idOf({ key, dimension, at, name }: SaidName): string {
  return [at, dimension, key, name].join('\0');
}

function addTo(all: Map<string, SliceSums>, slice: SaidName, change: SliceChange): void {
  const { model } = change;
  const sums = entry(all, `${idOf(slice)}\0${model}`, () => {
    return { ...slice, model, requests: 0, unpriced: 0, input: 0, output: 0, nanoUsd: 0n };
  });
  sums.requests += change.requests;
  sums.unpriced += change.unpriced;
  sums.input += change.input;
  sums.output += change.output;
  sums.nanoUsd += change.nanoUsd;
}

async function write(transaction: Statements, table: Prisma.Sql, sums: Iterable<SliceSums>): Promise<void> {
  const rows = [...sums].map(({ nanoUsd, ...row }) => ({ ...row, cost: nanoUsd.toString() }));
  await transaction.$executeRaw`
    INSERT INTO ${table} AS sum (
      key_id, dimension, at, name, model, requests, unpriced, input_tokens, output_tokens, cost_nano_usd
    )
    SELECT key, dimension, 'epoch'::timestamptz + "at" * interval '1 millisecond', name, model, requests, unpriced, input, output, cost
    FROM json_to_recordset(${postgresJson(rows)}::json) AS change (
      key text, dimension text, "at" bigint, name text, model text, requests bigint, unpriced bigint, input bigint, output bigint,
      cost numeric
    )
    ORDER BY key, dimension, "at", name, model
    ON CONFLICT (key_id, dimension, at, name, model) DO UPDATE SET
      requests = sum.requests + excluded.requests,
      unpriced = sum.unpriced + excluded.unpriced,
      input_tokens = sum.input_tokens + excluded.input_tokens,
      output_tokens = sum.output_tokens + excluded.output_tokens,
      cost_nano_usd = sum.cost_nano_usd + excluded.cost_nano_usd`;
}
