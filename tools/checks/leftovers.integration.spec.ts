import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@tollgate/testing';

const program = createRequire(__filename).resolve('jest/bin/jest');
const reporter = join(__dirname, 'leftovers.cjs');
let folder: string;

beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'tollgate-leftovers-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/**
 * Runs Jest, in one process, on a test with this text, or on several; with `workers` in that many, each on a
 * test of its own. `closes`: a file that leaves something open fails.
 */
function run(
  text: string,
  { workers = 1, files = 1, patienceMs = 500, closes = false } = {},
): { status: number | null; said: string } {
  // The default one looks at its state once a second, by what is a fake timer of a test file of its process.
  const reporters = [closes ? 'default' : 'summary', [reporter, { patienceMs }]];
  const [testEnvironment, runtime] = ['one-realm.cjs', 'shared-scripts.cjs'].map((name) => join(__dirname, name));
  writeFileSync(
    join(folder, 'jest.config.json'),
    JSON.stringify({
      reporters,
      testEnvironment,
      testEnvironmentOptions: { closes: closes ? '\\.test\\.js$' : '' },
      runtime,
      transform: {},
      rootDir: folder,
      testFailureExitCode: 7,
    }),
  );
  for (let number = 1; number <= Math.max(workers, files); number++)
    writeFileSync(join(folder, `${number}.test.js`), text);
  const where = workers === 1 ? '--runInBand' : `--maxWorkers=${workers}`;
  const { status, stderr } = spawnSync(process.execPath, [program, where, '--config', 'jest.config.json'], {
    cwd: folder,
    encoding: 'utf8',
  });
  return { status, said: stderr };
}

/** For one that ends by itself, on whatever machine. */
const patiently = { patienceMs: 60_000 };
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
  const { status, said } = run(`it('passes', () => undefined);`, patiently);
  expect(said).not.toContain('Left open');
  expect(status).toBe(0);
});

it('ends a run by itself with the result that Jest comes to after its reporters', () => {
  // Jest tells the code of a failure to Node only while the process exits.
  expect(run(`it('fails', () => { throw new Error('no'); });`, patiently).status).toBe(7);
});

it('names what keeps a worker from its end', async () => {
  // Jest kills it half a second later, which is too soon for one on a busy machine.
  const { status } = await eventually(
    () => run(`it('passes', () => void ${leaves});`, { workers: 2 }),
    ({ said }) =>
      /worker \d+ did not end by itself. Left open:\n(.*\n)*\s+Server \{"address":"127\.0\.0\.1"/.test(said),
  );
  expect(status).toBe(0);
});

it('fails a test file that leaves something open, and no other of its process', () => {
  const interval = `it('passes', () => void setInterval(() => undefined, 1_000));`;
  expect(run(interval, { closes: true, workers: 2, ...patiently })).toMatchObject({
    status: 7,
    said: expect.stringContaining('This test file leaves open: Timeout.'),
  });
  const brief = `it('passes', () => void ${leaves}.unref().on('listening', function () { setTimeout(() => this.close(), 50); }));`;
  const { status, said } = run(brief, { closes: true, files: 2, ...patiently });
  expect(said).toContain('2 passed, 2 total');
  expect(status).toBe(0);
});

it("sets no fake timer of the next test file by what another one's timers begin again", () => {
  const text = `const [os, promises] = [require('node:os'), require('node:timers/promises')];
    const turn = promises.setImmediate;
    it('has its own timers alone', async () => {
      const before = [...(os.turns ?? [])];
      jest.useFakeTimers({ doNotFake: ['setImmediate'] });
      while (before.some((turns, at) => os.turns[at] < turns + 3)) await turn();
      expect(jest.getTimerCount()).toBe(0);
      jest.useRealTimers();
      os.turns ??= [0, 0];
      const again = () => { os.turns[0]++; setTimeout(again, 1).unref(); };
      again();
      const further = () => { os.turns[1]++; promises.setTimeout(1, undefined, { ref: false }).then(further); };
      further();
    });`;
  const { status, said } = run(text, { files: 2, ...patiently });
  expect(said).toContain('2 passed, 2 total');
  expect(status).toBe(0);
});

it("leaves no spy of a test file on Node's modules for the next one of the same process", () => {
  const text = `const os = require('node:os');
    it('finds what Node has', () => {
      expect(jest.isMockFunction(os.tmpdir)).toBe(false);
      jest.spyOn(os, 'tmpdir');
    });`;
  const { status, said } = run(text, { files: 2, ...patiently });
  expect(said).toContain('2 passed, 2 total');
  expect(status).toBe(0);
});

it('leaves nothing else of a test file for the next one: globals, variables, listeners, fake timers', () => {
  const text = `it('finds all as it was', async () => {
      expect([globalThis.mine, process.env.MINE, process.mine, console.mine]).toEqual([undefined, undefined, undefined, undefined]);
      expect(process.listenerCount('SIGTERM')).toBe(0);
      expect(String(fetch)).not.toContain('mine');
      await new Promise((resolve) => setImmediate(resolve));
      [globalThis.mine, process.env.MINE, process.mine, console.mine] = [1, '1', 1, 1];
      process.on('SIGTERM', () => undefined);
      globalThis.fetch = () => 'mine';
      jest.useFakeTimers();
    });`;
  const { status, said } = run(text, { files: 2, ...patiently });
  expect(said).toContain('2 passed, 2 total');
  expect(status).toBe(0);
});

it('tells beside a failure what its test file has to tell of it', () => {
  const text = `globalThis.tellAtFailure = [async () => 'The gate says: no coins.'];
    it('opens', () => { throw new Error('It stays shut.'); });`;
  expect(run(text, { closes: true }).said).toMatch(/It stays shut\.\n\s+The gate says: no coins\./);
});
