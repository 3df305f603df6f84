import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const program = createRequire(__filename).resolve('jest/bin/jest');
const reporter = join(__dirname, 'leftovers.cjs');
let folder: string;

beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'tollgate-leftovers-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs Jest, in one process, on a test with this text. */
function run(text: string): { status: number | null; said: string } {
  const reporters = ['default', [reporter, { patienceMs: 500 }]];
  writeFileSync(
    join(folder, 'jest.config.json'),
    JSON.stringify({ reporters, transform: {}, rootDir: folder, testFailureExitCode: 7 }),
  );
  writeFileSync(join(folder, 'some.test.js'), text);
  const { status, stderr } = spawnSync(process.execPath, [program, '--runInBand', '--config', 'jest.config.json'], {
    cwd: folder,
    encoding: 'utf8',
  });
  return { status, said: stderr };
}

const leaves = `require('node:net').createServer().listen(0, '127.0.0.1')`;

it('ends a run whose tests left a server open, and names it', () => {
  const { status, said } = run(`it('passes', () => void ${leaves});`);
  expect(said).toContain('1 passed');
  expect(said).toMatch(/Left open:\n(.*\n)*\s+Server \{"address":"127\.0\.0\.1"/);
  expect(status).toBe(0);
});

it('keeps the result of a run that failed', () => {
  expect(run(`it('fails', () => { ${leaves}; throw new Error('no'); });`).status).toBe(7);
});

it('says nothing of a run that ends by itself', () => {
  const { status, said } = run(`it('passes', () => undefined);`);
  expect(said).not.toContain('Left open');
  expect(status).toBe(0);
});

it('ends a run by itself with the result that Jest comes to after its reporters', () => {
  // Jest tells the code of a failure to Node only while the process exits.
  expect(run(`it('fails', () => { throw new Error('no'); });`).status).toBe(7);
});
