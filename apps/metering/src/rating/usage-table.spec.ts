import { priceSheet, tokenUsage } from '@tollgate/contracts';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { toRateSheet } from './rate-sheet';
import { chargeEvent, rateUsage } from './rate-usage';

/** Written by tools/usage-table, which works out the costs by itself. The dialects' spec proves that the bodies of the same rows mean these tokens. */
const fixtures = join(__dirname, '../../../../libs/dialects/src/proof/__fixtures__');
const table = z
  .object({
    sheets: z.record(z.string(), priceSheet),
    rows: z.array(z.object({ name: z.string(), tokens: tokenUsage, sheet: z.string(), nanoUsd: z.string() })).min(200),
  })
  .parse(JSON.parse(readFileSync(join(fixtures, 'usage-table.json'), 'utf8')));

describe('the charge of a usage body', () => {
  it.each(table.rows.map((row) => [row.name, row] as const))(
    'is the one that was worked out apart: %s',
    (_, { tokens, sheet, nanoUsd }) => {
      const prices = table.sheets[sheet];
      expect(prices && rateUsage(toRateSheet(prices), tokens, true)?.toString()).toBe(nanoUsd);
    },
  );
});

/** `charge`: what, how much of it, and its printed price: US dollars per million, or each; null: no price is printed. `nanoUsd` is their sum, by hand. */
const invoice = z
  .object({
    sheets: z.record(z.string(), priceSheet),
    rows: z.array(
      z.object({
        name: z.string(),
        model: z.string(),
        usage: tokenUsage,
        charge: z.array(z.tuple([z.string(), z.number(), z.string().nullable()])),
        nanoUsd: z.string().nullable(),
      }),
    ),
  })
  .parse(JSON.parse(readFileSync(join(fixtures, 'invoice.json'), 'utf8')));

describe('the invoice', () => {
  /** Parts have the provider's name; inference gives them the public one. */
  const find = (model: string) => {
    const sheet = invoice.sheets[model] ?? invoice.sheets[`anthropic/${model}`];
    return sheet ? { id: model, sheet: toRateSheet(sheet) } : null;
  };

  it.each(invoice.rows.map((row) => [row.name, row] as const))('is to the nano-dollar: %s', (_, row) => {
    const { nanoUsd } = chargeEvent({ model: row.model, usage: row.usage, state: 'completed', cached: false }, find);
    expect(nanoUsd?.toString() ?? null).toBe(row.nanoUsd);
  });
});
