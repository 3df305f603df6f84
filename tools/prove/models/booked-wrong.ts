import type { CatalogModel } from '@tollgate/contracts/catalog';
import { Client } from 'pg';
import { z } from 'zod';
import { servedTerms } from '../ledger/stored-events';
import type { LedgerRow } from '../simulated-provider';
import { nanoUsdDue } from './nano-usd-due';

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
  served: servedTerms,
  cost_nano_usd: z.coerce.bigint().nullable(),
});
type BookedEvent = z.infer<typeof bookedEvent>;

/**
 * A sentence for each answered request (`asked`, by its id) whose tokens in the ledger are not those that the
 * provider booked, whose uses of the provider's own tools are not, whose charge is not what the price says,
 * or that has not exactly one event.
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
    const uses = usesOf(event.served.units);
    if (uses !== usesOf(row.units))
      return `${id} (${model.id}): tools were used ${uses || 'never'} in the ledger, ${usesOf(row.units) || 'never'} at the provider`;
    const due = model.prices && nanoUsdDue(model.prices, event);
    if (due !== event.cost_nano_usd)
      return `${id} (${model.id}): ${event.cost_nano_usd} nano-dollars charged, ${due} due`;
    return null;
  }).filter((problem) => problem !== null);
}

/**
 * Uses of tools in words, in one order; what counts prompts beside the searches of Google's is left out, for
 * the books have no such count.
 */
function usesOf(units: Readonly<Record<string, number>>): string {
  const used = Object.entries(units).filter(([unit, uses]) => uses > 0 && unit !== 'groundedPrompt');
  return used
    .map(([unit, uses]) => `${unit} ${uses}`)
    .sort()
    .join(', ');
}

async function eventsOf(databaseUrl: string, run: string): Promise<Map<string, BookedEvent[]>> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query(
      `SELECT request_id, model, state, input_tokens, output_tokens, cached_input, cache_write_5m, cache_write_1h, reasoning, ended_at, cost_nano_usd, served
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
