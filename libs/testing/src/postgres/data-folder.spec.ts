import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepareDataFolder } from './data-folder';

let home: string;

beforeEach(() => (home = mkdtempSync(join(tmpdir(), 'tollgate-initdb-'))));
afterEach(() => rmSync(home, { recursive: true }));

it('gives initdb nothing of its own that whoever starts it has in its environment', async () => {
  const initdb = join(home, 'initdb');
  writeFileSync(initdb, '#!/bin/sh\nmkdir "$2"\nenv > "$2/seen"\n');
  chmodSync(initdb, 0o755);
  const binaries = { root: home, initdb, postgres: initdb };
  const { path } = await prepareDataFolder({ binaries, home, base: home, wrapper: [], owner: null }, false, null);
  const seen = readFileSync(join(path, 'seen'), 'utf8');
  expect(seen).toContain('PATH=');
  // Jest sets it, where a program would inherit it: what a test sets is seen by the test alone.
  expect(seen).not.toContain('NODE_ENV');
});
