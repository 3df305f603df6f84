import { eventually } from '@tollgate/testing';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'witness-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What a program called `edge` holds. */
async function heldBy(program: string, environment: NodeJS.ProcessEnv = {}): Promise<Record<string, number>> {
  mkdirSync(join(folder, 'edge'), { recursive: true });
  const script = join(folder, 'edge', 'main.js');
  writeFileSync(script, `${program}; setInterval(() => undefined, 1000); console.log('ready')`);
  const child = spawn(process.execPath, ['--import', join(__dirname, 'witness.mjs'), script], {
    env: { ...environment, NODE_SOAK_FOLDER: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    await once(child.stdout, 'data');
    child.kill('SIGUSR2');
    const path = join(folder, `${child.pid}.1.json`);
    await eventually(() => existsSync(path));
    return JSON.parse(readFileSync(path, 'utf8')) as Record<string, number>;
  } finally {
    child.kill('SIGKILL');
  }
}

it('tells rows of Maps and Sets, and timers, that live, and none that do not', async () => {
  const none = await heldBy(
    'new Map(Array.from({ length: 5000 }, (_, i) => [i, i])); clearTimeout(setTimeout(() => 1, 1e6))',
  );
  const some = await heldBy(
    'globalThis.kept = [new Map(Array.from({ length: 700 }, (_, i) => [i, i])), new Set([1, 2, 3])]; setTimeout(() => 1, 1e6)',
  );
  const more = (measure: string): number => (some[measure] ?? 0) - (none[measure] ?? 0);
  expect([more('maps'), more('rows'), more('timers')]).toEqual([1, 703, 1]);
});

it('plants a leak where it is told to', async () => {
  const asked =
    "const { channel } = require('node:diagnostics_channel'); for (let i = 0; i < 500; i++) channel('http.server.request.start').publish({})";
  const whole = await heldBy(asked, { NODE_SOAK_PLANT: 'inference' });
  const leaking = await heldBy(asked, { NODE_SOAK_PLANT: 'edge' });
  expect((leaking.rows ?? 0) - (whole.rows ?? 0)).toBeGreaterThanOrEqual(500);
});
