import type { CatalogModel, PriceSheet } from '@tollgate/contracts';
import { Client } from 'pg';
import { z } from 'zod';
import type { LedgerRow } from '../simulated-provider';

const count = z.coerce.number();
const bookedEvent = z.object({
  request_id: z.string(),
  model: z.string(),
  state: z.string(),
  input_tokens: count,
  output_tokens: count,
  cached_input: count,
  cache_write_5m: count,
  cache_write_1h: count,
  reasoning: count,
  ended_at: z.date(),
  cost_nano_usd: z.coerce.bigint().nullable(),
});
type BookedEvent = z.infer<typeof bookedEvent>;

/**
 * A sentence for each answered request (`asked`, by its id) whose tokens in the ledger are not those that the provider booked, whose charge is not what the price says, or that has
 * not exactly one event.
 */
export async function bookedWrong(
  databaseUrl: string,
  run: string,
  rows: readonly LedgerRow[],
  asked: ReadonlyMap<string, CatalogModel>,
): Promise<string[]> {
  const events = await eventsOf(databaseUrl, run);
  const booked = new Map<string, LedgerRow>(rows.map((row) => [row.requestId, row]));
  return Array.from(asked, ([id, model]): string | null => {
    const [event, ...more] = events.get(id) ?? [];
    const row = booked.get(id);
    if (!event || more.length > 0 || !row)
      return `${id} (${model.id}): ${events.get(id)?.length ?? 0} events, booked: ${Boolean(row)}`;
    const [ours, theirs] = [event, row].map((one) =>
      'input_tokens' in one ? `${one.input_tokens} + ${one.output_tokens}` : `${one.inputTokens} + ${one.outputTokens}`,
    );
    if (ours !== theirs) return `${id} (${model.id}): ${ours} tokens in the ledger, ${theirs} at the provider`;
    const due = model.prices && costOf(model.prices, event);
    if (due !== event.cost_nano_usd)
      return `${id} (${model.id}): ${event.cost_nano_usd} nano-dollars charged, ${due} due`;
    return null;
  }).filter((problem) => problem !== null);
}

async function eventsOf(databaseUrl: string, run: string): Promise<Map<string, BookedEvent[]>> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query(
      `SELECT request_id, model, state, input_tokens, output_tokens, cached_input, cache_write_5m, cache_write_1h, reasoning, ended_at, cost_nano_usd
       FROM usage_event WHERE starts_with(request_id, $1)`,
      [`${run}-`],
    );
    const events = new Map<string, BookedEvent[]>();
    for (const event of z.array(bookedEvent).parse(rows))
      events.set(event.request_id, [...(events.get(event.request_id) ?? []), event]);
    return events;
  } finally {
    await client.end();
  }
}

/** What a completed request costs in nano-dollars, from the price sheet alone: written apart from metering, so that the two check each other. */
function costOf(sheet: PriceSheet, event: BookedEvent): bigint {
  const tier = sheet.longContext
    .toSorted((a, b) => b.aboveInputTokens - a.aboveInputTokens)
    .find(({ aboveInputTokens }) => event.input_tokens > aboveInputTokens);
  const { input, output, cachedInput, cacheWrite5m, cacheWrite1h, reasoning } = tier ?? sheet;
  const factor = millionths(factorAt(sheet, event.ended_at));
  const lines: [tokens: number, usdPerMillion: string][] = [
    [event.input_tokens - event.cached_input - event.cache_write_5m - event.cache_write_1h, input],
    [event.cached_input, cachedInput ?? input],
    [event.cache_write_5m, cacheWrite5m ?? input],
    [event.cache_write_1h, cacheWrite1h ?? cacheWrite5m ?? input],
    [event.output_tokens - event.reasoning, output],
    [event.reasoning, reasoning ?? output],
  ];
  const at = (rate: string): bigint => (millionths(rate) * factor + 500_000n) / 1_000_000n;
  // US dollars for a million tokens are pico-dollars for a token, times a million; a request's price is in US dollars.
  const picos = lines.reduce((sum, [tokens, rate]) => sum + BigInt(tokens) * at(rate), 0n);
  return (picos + millionths(sheet.perRequest ?? '0') * 1_000_000n + 500n) / 1_000n;
}

/** What rates are multiplied by at the hour at which a request ended. */
function factorAt({ terms }: PriceSheet, ended: Date): string {
  const minutes = ended.getUTCHours() * 60 + ended.getUTCMinutes();
  const minutesOf = (clock: string): number => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3));
  const date = ended.toISOString().slice(0, 10);
  const holds = terms?.hours?.find(
    ({ days, from, to, except }) =>
      days.includes(((ended.getUTCDay() + 6) % 7) + 1) &&
      !except.includes(date) &&
      minutes >= minutesOf(from) &&
      minutes < minutesOf(to),
  );
  return holds?.factor ?? '1';
}

/** A decimal string of up to six digits behind its point, in millionths. */
function millionths(decimal: string): bigint {
  const [whole = '0', part = ''] = decimal.split('.');
  return BigInt(whole) * 1_000_000n + BigInt(part.padEnd(6, '0'));
}
