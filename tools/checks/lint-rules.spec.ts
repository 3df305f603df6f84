import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const test = (body: string) => `it('counts', ${body});\n`;
const port = `import { MessagePort } from 'node:worker_threads';\n`;
const spied = `const given = jest.spyOn(MessagePort.prototype, 'postMessage');`;
const shared = 'shared by all tests of a process';

/** What is written, and what the linter says about it; null: nothing. */
const cases: [string, string, string | null][] = [
  [
    'a spy on a prototype of a module of Node, over turns',
    `${port}${test(`async () => { ${spied} given.mockRestore(); }`)}`,
    shared,
  ],
  ['the same, for good', `${port}${test(`() => { ${spied} }`)}`, shared],
  [
    'one on a module of Node',
    `import os from 'node:os';\n${test(`async () => { jest.spyOn(os, 'tmpdir'); }`)}`,
    shared,
  ],
  [
    'one on the clock of the process',
    test(`async () => { jest.spyOn(performance, 'now').mockReturnValue(1); }`),
    shared,
  ],
  ['one on all buffers', `beforeEach(() => { jest.spyOn(Buffer, 'concat'); });\n`, shared],
  ['one on all addresses', test(`async () => { jest.spyOn(URL.prototype, 'toString'); }`), shared],
  ['one where nobody else runs', `${port}${test(`() => { ${spied} given.mockRestore(); }`)}`, null],
  [
    'one on an object of its own',
    `${port}${test(`async () => { const own = new MessagePort(); jest.spyOn(own, 'close'); }`)}`,
    null,
  ],
  [
    'one on what each test file has for itself',
    test(`async () => { jest.spyOn(JSON, 'parse'); jest.spyOn(globalThis, 'x'); }`),
    null,
  ],
  [
    'a comment that is wider than a page',
    `/** ${'word '.repeat(22)} */\nexport const one = 1;\n`,
    'A line of a comment ends at 110 columns',
  ],
  [
    'a bound on time that a busy machine breaks',
    test(`() => { const at = performance.now(); expect(performance.now() - at).toBeLessThan(900); }`),
    'times the patience',
  ],
  [
    'one on a time that has a name first',
    test(`() => { const at = Date.now(); const tookMs = Date.now() - at; expect(tookMs).toBeLessThan(900); }`),
    'times the patience',
  ],
  [
    'one on a time between two events',
    test(`() => { let from = 0; let to: number | null = null; from = Date.now(); to ??= Date.now();
      const tookMs = (to ?? 0) - from; expect({ tookMs }.tookMs).toBeLessThan(900); }`),
    'times the patience',
  ],
  [
    'one on a name of what is no time, and the order of two events',
    test(`() => { const count = [Date.now()].length; const left = 9 - 1; expect(left).toBeLessThan(900);
      expect(count).toBeLessThan(900); const end = Date.now() + 9; const at = end - 9; expect(at).toBeLessThan(end); }`),
    null,
  ],
  [
    'one that it does not, one on what is no time, and the time that must pass',
    test(`() => { const at = performance.now(); const patience = 10; expect(at).toBeLessThan(1e9);
      expect(performance.now() - at).toBeLessThanOrEqual(900 * patience);
      expect(performance.now() - at).toBeGreaterThan(900); }`),
    null,
  ],
  [
    'a process that is told to stand still and not waited for',
    test(`() => { process.kill(1, 'SIGSTOP'); }`),
    'Wait until it stands still',
  ],
  ['all exports of a file', `export * from './other';\n`, 'Name what a library exports'],
  ['all exports of a file under one name', `export * as Other from './other';\n`, null],
];

let folder: string;
/** Its lines about our rules, each of which names its file. */
let said: string[];
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'lint-rules-'));
  const jsPlugins = [{ name: 'tollgate', specifier: join(__dirname, 'lint-rules.mjs') }];
  const names = ['shared-spies', 'comment-width', 'no-export-all', 'steady-tests'];
  const rules = Object.fromEntries(names.map((name) => [`tollgate/${name}`, 'error']));
  writeFileSync(join(folder, '.oxlintrc.json'), JSON.stringify({ jsPlugins, rules }));
  for (const [index, [, text]] of cases.entries()) writeFileSync(join(folder, `${index}.e2e.spec.ts`), text);
  const oxlint = join(__dirname, '../../node_modules/.bin/oxlint');
  const { stdout } = spawnSync(oxlint, ['-c', '.oxlintrc.json', '--format', 'unix', '.'], {
    cwd: folder,
    encoding: 'utf8',
  });
  said = stdout.split('\n').filter((line) => line.includes('tollgate('));
});
afterAll(() => rmSync(folder, { recursive: true }));

it.each(cases.map(([what, , expected], index) => ({ what, expected, index })))(
  'the linter finds what is wrong with $what: $expected',
  ({ expected, index }) => {
    const found = said.filter((line) => new RegExp(`\\b${index}\\.e2e\\.spec\\.ts:`).test(line));
    expect(found).toEqual(expected === null ? [] : [expect.stringContaining(expected)]);
  },
);
