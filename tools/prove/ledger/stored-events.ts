import { Client } from 'pg';
import { z } from 'zod';

/**
 * The words of tier, speed and region that served it, whether what was read from a cache had been marked for
 * it, how often it used tools of the provider, how many
 * tokens of it were sampled beside the answer, how many of pictures and films came in, and what the provider
 * said that it charges (null: nothing).
 */
export const servedTerms = z
  .object({
    tier: z.string().optional(),
    speed: z.string().optional(),
    region: z.string().optional(),
    markedReads: z.boolean().default(false),
    units: z.record(z.string(), z.number()).optional(),
    parts: z.array(z.object({ input: z.number(), output: z.number() })).default([]),
    toldNanoUsd: z.string().optional(),
    imageInput: z.number().default(0),
    videoInput: z.number().default(0),
  })
  .nullable()
  .transform((told) => ({
    words: [told?.tier, told?.speed, told?.region].filter((word) => word !== undefined),
    markedReads: told?.markedReads ?? false,
    units: told?.units ?? {},
    parts: told?.parts ?? [],
    seen: { image: told?.imageInput ?? 0, video: told?.videoInput ?? 0 },
    toldNanoUsd: told?.toldNanoUsd === undefined ? null : BigInt(told.toldNanoUsd),
  }));

const storedEvent = z.object({
  id: z.string(),
  request_id: z.string(),
  model: z.string(),
  surface: z.string(),
  state: z.string(),
  status: z.number(),
  estimated: z.boolean(),
  reported_by: z.string(),
  input_tokens: z.coerce.number(),
  output_tokens: z.coerce.number(),
  cached_input: z.coerce.number(),
  cache_write_5m: z.coerce.number(),
  cache_write_1h: z.coerce.number(),
  audio_input: z.coerce.number(),
  audio_output: z.coerce.number(),
  other_kinds: z.coerce.number(),
  served: servedTerms,
  cost_nano_usd: z.coerce.bigint().nullable(),
  is_of_the_dead: z.boolean(),
});
/**
 * A row of the ledger. `other_kinds`: tokens of reasoning, which this load has none of. `is_of_the_dead`:
 * from the journal of an instance that died, whose edge died before it had told what it saw.
 */
export type StoredEvent = z.infer<typeof storedEvent>;

/** The usage events of a run, by its prefix of request ids. */
export async function storedEvents(databaseUrl: string, run: string): Promise<StoredEvent[]> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query(
      `SELECT id, request_id, model, surface, state, status, estimated, reported_by, input_tokens, output_tokens, cost_nano_usd, served,
         cached_input, cache_write_5m, cache_write_1h, audio_input, audio_output, reasoning AS other_kinds,
         reported_by = 'inference' AND coalesce(attempts->-1->>'error' = 'instance_lost', false) AS is_of_the_dead
       FROM usage_event WHERE starts_with(request_id, $1)`,
      [`${run}-`],
    );
    return z.array(storedEvent).parse(rows);
  } finally {
    await client.end();
  }
}
