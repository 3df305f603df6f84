import { priceSheet, tokenUsage } from '@tollgate/contracts';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { toRateSheet } from './rate-sheet';
import { rateUsage } from './rate-usage';

/** Written by tools/usage-table, which works out the costs by itself. The dialects' spec proves that the bodies of the same rows mean these tokens. */
const path = join(__dirname, '../../../../libs/dialects/src/proof/__fixtures__/usage-table.json');
const table = z
  .object({
    sheets: z.record(z.string(), priceSheet),
    rows: z.array(z.object({ name: z.string(), tokens: tokenUsage, sheet: z.string(), nanoUsd: z.string() })).min(200),
  })
  .parse(JSON.parse(readFileSync(path, 'utf8')));

describe('the charge of a usage body', () => {
  it.each(table.rows.map((row) => [row.name, row] as const))(
    'is the one that was worked out apart: %s',
    (_, { tokens, sheet, nanoUsd }) => {
      const prices = table.sheets[sheet];
      expect(prices && rateUsage(toRateSheet(prices), tokens, true).toString()).toBe(nanoUsd);
    },
  );
});
