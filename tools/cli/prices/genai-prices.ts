import { z } from 'zod';
import type { DocumentEntry, DocumentRates } from './document-entry';
import { toEntry } from './document-entry';

const tiered = z.object({ base: z.number(), tiers: z.array(z.object({ start: z.number().int(), price: z.number() })) });
const rate = z.union([z.number(), tiered]).optional();

const sheet = z.looseObject({
  input_mtok: rate,
  output_mtok: rate,
  cache_read_mtok: rate,
  cache_write_mtok: rate,
  input_audio_mtok: rate,
  output_audio_mtok: rate,
  requests_kcount: z.number().optional(),
});
type Sheet = z.output<typeof sheet>;

const conditional = z.object({ constraint: z.looseObject({ start: z.string().optional() }).nullish(), prices: sheet });
const equals = z.looseObject({ equals: z.string().optional() });
const match = equals.extend({ or: z.array(equals).optional() });
const document = z.array(
  z.object({
    id: z.string(),
    models: z.array(
      z.object({ id: z.string(), match: match.optional(), prices: z.union([z.array(conditional), sheet]) }),
    ),
  }),
);

/** What genai-prices calls the rates of ours. */
const rateFields = {
  input: 'input_mtok',
  output: 'output_mtok',
  cachedInput: 'cache_read_mtok',
  cacheWrite5m: 'cache_write_mtok',
  audioInput: 'input_audio_mtok',
  audioOutput: 'output_audio_mtok',
} as const;

/**
 * Reads genai-prices' `data.json`: US dollars per million tokens, `requests_kcount` US dollars per 1,000
 * requests; of prices with a start, the last that has begun. A model goes by its id and by the names that it
 * is said to equal. Prices by the hour of the day are not taken. @throws ZodError when it is no such
 * document.
 * https://github.com/pydantic/genai-prices
 */
export function readGenaiPrices(json: unknown, now = Date.now()): DocumentEntry[] {
  return document.parse(json).flatMap(({ id: provider, models }) =>
    models.flatMap(({ id, match: names, prices }) => {
      const current = Array.isArray(prices) ? begun(prices, now) : prices;
      if (!current) return [];
      const also = [names, ...(names?.or ?? [])].flatMap((name) => name?.equals ?? []).filter((name) => name !== id);
      return [{ ...entry(provider, id, current), also }];
    }),
  );
}

function begun(prices: z.output<typeof conditional>[], now: number): Sheet | undefined {
  const byDay = prices.filter(({ constraint }) => !constraint || 'start' in constraint);
  return byDay.findLast(({ constraint }) => !constraint?.start || Date.parse(constraint.start) <= now)?.prices;
}

function entry(provider: string, model: string, prices: Sheet): DocumentEntry {
  const starts = new Set(
    Object.values(rateFields).flatMap((field) => {
      const value = prices[field];
      return typeof value === 'object' ? value.tiers.map(({ start }) => start) : [];
    }),
  );
  return toEntry(provider, model, {
    rates: ratesAt(prices, 0),
    perRequest: prices.requests_kcount === undefined ? undefined : prices.requests_kcount / 1_000,
    tiers: [...starts]
      .sort((a, b) => a - b)
      .map((start) => ({ aboveInputTokens: start, rates: ratesAt(prices, start) })),
    powerOfTen: 0,
  });
}

/** The rates of a request with so many tokens of input. */
function ratesAt(prices: Sheet, start: number): DocumentRates {
  return Object.fromEntries(
    Object.entries(rateFields).flatMap(([name, field]) => {
      const value = prices[field];
      if (value === undefined) return [];
      if (typeof value === 'number') return [[name, value]];
      return [[name, value.tiers.findLast((tier) => tier.start <= start)?.price ?? value.base]];
    }),
  );
}
