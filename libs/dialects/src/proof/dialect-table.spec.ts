import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dialectTable } from './dialect-table.fixture';

const path = join(__dirname, '../../../../docs/dialects.md');

/** The text without what a formatter may change: the width of columns and the space between lines. */
function plain(markdown: string): string {
  return markdown.replaceAll(/ +/g, ' ').replaceAll(/-{3,}/g, '---').replaceAll(/\n+/g, '\n').trim();
}

it('is what the documentation says of every pair (write it with UPDATE_GOLDENS=1, then format it)', () => {
  const table = dialectTable();
  if (process.env.UPDATE_GOLDENS === '1') writeFileSync(path, table);
  expect(plain(readFileSync(path, 'utf8'))).toBe(plain(table));
});
