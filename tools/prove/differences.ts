import { Client } from 'pg';
import { z } from 'zod';
import type { Outcome } from './exchange';
import type { LedgerRow } from './simulated-provider';

const event = z.object({
  request_id: z.string(),
  state: z.string(),
  status: z.number(),
  reported_by: z.string(),
  input_tokens: z.coerce.number(),
  output_tokens: z.coerce.number(),
});
type StoredEvent = z.infer<typeof event>;

/** A sentence for each request of a run whose stored usage event says something else than the provider's books: where to begin when a bill is wrong. */
export async function differences(
  databaseUrl: string,
  run: string,
  rows: readonly LedgerRow[],
  outcomes: readonly Outcome[],
): Promise<string[]> {
  const lastTries = new Map(rows.map((row) => [row.requestId, row]));
  const events = new Map((await storedEvents(databaseUrl, run)).map((stored) => [stored.request_id, stored]));
  const seen = new Map(
    outcomes.map(({ request, state, reason }) => [request.id, `${request.kind}, ${state} ${reason}`]),
  );
  return [...new Set([...lastTries.keys(), ...events.keys()])].flatMap((id) => {
    const row = lastTries.get(id);
    const stored = events.get(id);
    const isSame =
      row && stored && row.inputTokens === stored.input_tokens && row.outputTokens === stored.output_tokens;
    return isSame ? [] : [`${id} (${seen.get(id) ?? 'unknown'}): ${describeRow(row)}; ${describeEvent(stored)}`];
  });
}

async function storedEvents(databaseUrl: string, run: string): Promise<StoredEvent[]> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query(
      'SELECT request_id, state, status, reported_by, input_tokens, output_tokens FROM usage_event WHERE starts_with(request_id, $1)',
      [`${run}-`],
    );
    return z.array(event).parse(rows);
  } finally {
    await client.end();
  }
}

function describeRow(row: LedgerRow | undefined): string {
  if (!row) return 'the provider has no row';
  return `the provider booked ${row.inputTokens} + ${row.outputTokens} (${row.state}, ${row.chunks} chunks, ${row.fault ?? 'no fault'})`;
}

function describeEvent(stored: StoredEvent | undefined): string {
  if (!stored) return 'there is no event';
  const { input_tokens, output_tokens, state, status, reported_by } = stored;
  return `the event says ${input_tokens} + ${output_tokens} (${state}, ${status}, by ${reported_by})`;
}
