import { z } from 'zod';
import type { StoredEvent } from './stored-events';

const report = z.object({
  by_model: z.array(
    z.object({
      model: z.string(),
      input_tokens: z.number().int(),
      output_tokens: z.number().int(),
      cost_usd: z.number(),
    }),
  ),
});

/**
 * A sentence for each sum that GET /api/metrics tells the holder of a key, and that is not that of the key's
 * events.
 */
export async function wrongBill(baseUrl: string, apiKey: string, events: readonly StoredEvent[]): Promise<string[]> {
  const response = await fetch(`${baseUrl}/api/metrics?period=day`, { headers: { authorization: `Bearer ${apiKey}` } });
  if (!response.ok) return [`/api/metrics answered ${response.status}: ${await response.text()}`];
  const told = new Map(
    report.parse(await response.json()).by_model.map(({ model, input_tokens, output_tokens, cost_usd }) => {
      // A double holds sums below nine million dollars to the nano-dollar.
      return [model, `${input_tokens} + ${output_tokens} tokens, ${Math.round(cost_usd * 1e9)} nano-dollars`];
    }),
  );
  return [...new Set([...told.keys(), ...events.map(({ model }) => model)])].flatMap((model) => {
    const expected = sumOf(events.filter((event) => event.model === model));
    const seen = told.get(model) ?? sumOf([]);
    return seen === expected ? [] : [`${model}: the bill says ${seen}, the events ${expected}`];
  });
}

function sumOf(events: readonly StoredEvent[]): string {
  const sum = (field: 'input_tokens' | 'output_tokens') => events.reduce((total, event) => total + event[field], 0);
  const nanoUsd = events.reduce((total, { cost_nano_usd }) => total + (cost_nano_usd ?? 0n), 0n);
  return `${sum('input_tokens')} + ${sum('output_tokens')} tokens, ${nanoUsd} nano-dollars`;
}
