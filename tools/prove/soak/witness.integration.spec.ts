import { eventually } from '@tollgate/testing';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

type Held = Record<string, number>;

/** Node has Maps and timers of its own, of which some come at any time: fewer than these. */
const own = 100;
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'witness-'));
  mkdirSync(join(folder, 'edge'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What a program called `edge` holds more than before once it has done something. */
async function heldMore(done: string, environment: NodeJS.ProcessEnv = {}): Promise<(measure: string) => number> {
  const script = join(folder, 'edge', 'main.js');
  writeFileSync(
    script,
    `process.stdin.once('data', () => { ${done}; console.log('done'); }); setInterval(() => undefined, 1e6); console.log('ready');`,
  );
  const child = spawn(process.execPath, ['--import', join(__dirname, 'witness.mjs'), script], {
    env: { ...environment, NODE_SOAK_FOLDER: folder },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit').then(() => Promise.reject(new Error('The program ended.')));
  ended.catch(() => undefined);
  const said = () => Promise.race([once(child.stdout, 'data'), ended]);
  const look = async (number: number): Promise<Held> => {
    child.kill('SIGUSR2');
    const path = join(folder, `${child.pid}.${number}.json`);
    await Promise.race([eventually(() => existsSync(path)), ended]);
    return JSON.parse(readFileSync(path, 'utf8')) as Held;
  };
  try {
    await said();
    const before = await look(1);
    const isDone = said();
    child.stdin.write('go');
    await isDone;
    const after = await look(2);
    return (measure) => (after[measure] ?? 0) - (before[measure] ?? 0);
  } finally {
    child.kill('SIGKILL');
  }
}

/** A Map of so many rows, as a program writes it. */
const mapOf = (rows: number): string => `new Map(Array.from({ length: ${rows} }, (_, row) => [row, row]))`;

it('tells the Maps, rows and timers that live', async () => {
  const more = await heldMore(`globalThis.kept = Array.from({ length: 1000 }, () => ${mapOf(7)});
    for (let timer = 0; timer < 1000; timer++) setTimeout(() => undefined, 1e6)`);
  for (const [measure, made] of Object.entries({ maps: 1_000, rows: 7_000, timers: 1_000 })) {
    expect(more(measure)).toBeGreaterThan(made - own);
    expect(more(measure)).toBeLessThan(made + own);
  }
});

it('tells compiled code beside the heap', async () => {
  const more = await heldMore(`globalThis.kept = Array.from({ length: 200 }, (_, number) => {
    const made = new Function('sum', 'sum += ' + number + ';' + 'sum++;'.repeat(2000));
    made(0);
    return made;
  })`);
  const compiled = 2_000_000;
  expect(more('codeBytes')).toBeGreaterThan(compiled);
  // Their sources alone, 12 kB each, are longer.
  expect(more('heapBytes')).toBeLessThan(2 * compiled);
});

it('tells none of those that do not', async () => {
  const more = await heldMore(`for (let round = 0; round < 1000; round++) {
    ${mapOf(7)};
    clearTimeout(setTimeout(() => undefined, 1e6));
  }`);
  for (const measure of ['maps', 'rows', 'timers']) expect(more(measure)).toBeLessThan(own);
});

it('counts no timer that was cleared, as what is over keeps some: closed connections of pg two each', async () => {
  const more = await heldMore(`globalThis.kept = Array.from({ length: 1000 }, () => {
    const timer = setTimeout(() => undefined, 1e6);
    clearTimeout(timer);
    return timer;
  })`);
  expect(more('timers')).toBeLessThan(own);
});

it.each([
  ['edge', 1_000 - own, 1_000 + own],
  ['inference', -own, own],
])('leaks where it is told to: %s', async (leaking, least, most) => {
  const more = await heldMore(
    `const { channel } = require('node:diagnostics_channel');
    for (let request = 0; request < 1000; request++) channel('http.server.request.start').publish({})`,
    { NODE_SOAK_PLANT: leaking },
  );
  expect(more('rows')).toBeGreaterThan(least);
  expect(more('rows')).toBeLessThan(most);
});
