import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { usageTable } from './usage-table';

/** Read by the specs of the dialects (bodies to tokens) and of metering (tokens to money). */
const path = join(__dirname, '../../libs/dialects/src/proof/__fixtures__/usage-table.json');

describe('the committed table of usage bodies', () => {
  it('is what its independent calculation gives (WRITE_USAGE_TABLE=1 writes it anew)', () => {
    if (process.env.WRITE_USAGE_TABLE) writeFileSync(path, `${JSON.stringify(usageTable(), null, 2)}\n`);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(JSON.parse(JSON.stringify(usageTable())));
  });

  it('holds at least 200 bodies, of every dialect', () => {
    const { rows } = usageTable();
    const bodies = new Set(rows.map(({ dialect, usage }) => JSON.stringify({ dialect, usage })));
    expect(bodies.size).toBeGreaterThanOrEqual(200);
    expect(new Set(rows.map(({ dialect }) => dialect)).size).toBe(6);
  });

  // By hand: 421 fresh at $3, 12,288 cached at $0.30, 1,653 out at $15 per million.
  it('has a row that was checked with paper and pencil', () => {
    const row = usageTable().rows.find(({ name }) => name === 'anthropic anthropic-messages 3 at claude');
    expect(row).toMatchObject({ usage: { input_tokens: 421, cache_read_input_tokens: 12_288, output_tokens: 1_653 } });
    expect(row?.nanoUsd).toBe(String(421 * 3_000 + 12_288 * 300 + 1_653 * 15_000));
  });
});
