import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '../stack/workspace-root';
import { proofs } from './proofs';

const read = (file: string) => readFileSync(join(workspaceRoot, file), 'utf8');
const names = proofs.map(({ name }) => name);

it('has each name once', () => {
  expect(new Set(names).size).toBe(names.length);
});

it.each(['README.md', 'SECURITY.md', 'docs/promises.md', 'docs/operate.md', 'tools/README.md'])(
  'knows every proof that %s names',
  (file) => {
    const named = [...read(file).matchAll(/npm run prove -- ([a-z]+)/g)].map(([, name = '']) => name);
    expect([...new Set(named)].filter((name) => name !== 'all' && !names.includes(name))).toEqual([]);
    expect(read(file)).not.toMatch(/prove:[a-z]/);
  },
);

it('stands at every promise that it says it proves', () => {
  const rows = read('docs/promises.md').split('\n');
  for (const { name, promises } of proofs)
    for (const number of promises) {
      const row = rows.find((line) => line.startsWith(`| ${number} `)) ?? '';
      expect({ number, row }).toEqual({ number, row: expect.stringContaining(name) });
    }
});
