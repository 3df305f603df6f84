import { tokenUsage } from '@tollgate/contracts';
import { priceSheet } from '@tollgate/contracts/catalog';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { toRateSheet } from './rate-sheet';
import { chargeEvent, rateUsage } from './rate-usage';

/**
 * Written by tools/usage-table, which works out the costs by itself. The dialects' spec proves that the
 * bodies of the same rows mean these tokens.
 */
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

/**
 * `charge`: what, how much of it, and its printed price: US dollars per million, or each; null: no price is
 * printed. `nanoUsd` is their sum, by hand.
 */
const invoice = z
  .object({
    sheets: z.record(z.string(), priceSheet),
    rows: z.array(
      z.object({
        name: z.string(),
        model: z.string(),
        wire: z.string(),
        body: z.unknown(),
        usage: tokenUsage,
        /** When the answer was whole, where that decides the price. */
        endedAt: z.iso.datetime().default('2026-11-22T12:00:00Z'),
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

  it('has at least 200 raw answers, whole and streamed, of at least nine providers and five formats', () => {
    const { rows } = invoice;
    expect(new Set(rows.map(({ wire, body }) => JSON.stringify([wire, body]))).size).toBeGreaterThanOrEqual(200);
    expect(rows.filter(({ body }) => typeof body === 'string').length).toBeGreaterThanOrEqual(100);
    expect(new Set(rows.map(({ model }) => model.split('/')[0])).size).toBeGreaterThanOrEqual(9);
    expect(new Set(rows.map(({ wire }) => wire)).size).toBeGreaterThanOrEqual(5);
  });

  it.each(invoice.rows.map((row) => [row.name, row] as const))('adds up by hand: %s', (_, { charge, nanoUsd }) => {
    const millionths = (decimal: string): bigint => {
      const [whole = '', fraction = ''] = decimal.split('.');
      return BigInt(whole + fraction.padEnd(6, '0'));
    };
    const picos = charge.map(([, quantity, price]) => {
      if (price === null) return null;
      const [decimal = '', each] = price.split(' ');
      return BigInt(quantity) * millionths(decimal) * (each ? 1_000_000n : 1n);
    });
    const known = picos.filter((each) => each !== null);
    const sum = known.length < picos.length ? null : (known.reduce((all, each) => all + each, 0n) + 500n) / 1_000n;
    expect(sum?.toString() ?? null).toBe(nanoUsd);
  });

  it.each(invoice.rows.map((row) => [row.name, row] as const))('is to the nano-dollar: %s', (_, row) => {
    const { model, usage } = row;
    const endedAt = Date.parse(row.endedAt);
    const { nanoUsd } = chargeEvent({ model, usage, state: 'completed', cached: false, attempts: [], endedAt }, find);
    expect(nanoUsd?.toString() ?? null).toBe(row.nanoUsd);
  });
});
