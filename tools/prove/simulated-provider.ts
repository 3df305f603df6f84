import { z } from 'zod';

const ledgerRow = z.object({
  requestId: z.string(),
  model: z.string(),
  kind: z.enum(['generation', 'embedding']),
  stream: z.boolean(),
  state: z.enum(['open', 'completed', 'cut', 'refused']),
  status: z.number(),
  fault: z.string().nullable(),
  inputTokens: z.number(),
  audioInputTokens: z.number(),
  seen: z.object({ image: z.number(), video: z.number() }),
  cacheReadTokens: z.number(),
  cacheWriteTokens: z.number(),
  cacheWrite1hTokens: z.number(),
  served: z.array(z.string()),
  units: z.record(z.string(), z.number()),
  samplings: z.array(
    z.object({ kind: z.string(), model: z.string(), inputTokens: z.number(), outputTokens: z.number() }),
  ),
  outputTokens: z.number(),
  audioOutputTokens: z.number(),
  answeredBy: z.string().nullable(),
  chunks: z.number(),
  startedAt: z.number(),
  endedAt: z.number().nullable(),
  closedByPeerAt: z.number().nullable(),
  picoUsd: z
    .string()
    .nullable()
    .transform((value) => (value === null ? null : BigInt(value))),
});
/**
 * What the provider itself booked of one request that it got. `units`: uses of its own tools; `samplings`:
 * tokens of what was sampled beside the answer, which are in no other member. Times are epoch milliseconds.
 * `picoUsd`: what it charges for it by a price sheet of its own; null: the model is not in it.
 */
export type LedgerRow = z.infer<typeof ledgerRow>;

/** The sandbox, as a witness: its books, and how it pauses. */
export class SimulatedProvider {
  constructor(private readonly url: string) {}

  /** Every row, or those of one request. */
  async ledger(requestId?: string): Promise<LedgerRow[]> {
    const query = requestId === undefined ? '' : `?requestId=${encodeURIComponent(requestId)}`;
    const response = await fetch(`${this.url}/ledger${query}`);
    return z.object({ rows: z.array(ledgerRow) }).parse(await response.json()).rows;
  }

  /** Nothing is written and nothing new is booked from now on, until `resume`. */
  async pause(): Promise<void> {
    await fetch(`${this.url}/control/pause`, { method: 'POST' });
  }

  async resume(): Promise<void> {
    await fetch(`${this.url}/control/resume`, { method: 'POST' });
  }
}
