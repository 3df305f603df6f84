import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { newDataFolder } from './new-data-folder';

const made: string[] = [];
const make = (...given: Parameters<typeof newDataFolder>): string => {
  const folder = newDataFolder(...given);
  made.push(folder);
  return folder;
};
afterAll(() => made.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

describe('a folder for the data of servers', () => {
  it('is on the disk where memory has no room for it', () => {
    expect(dirname(make('spec', Infinity))).toBe(realpathSync(tmpdir()));
  });

  it('is in memory where that has room, and what processes left there that are gone is removed', () => {
    const { pid } = spawnSync(process.execPath, ['--version']);
    const ofAnother = make('spec', 0);
    const left = join(dirname(ofAnother), `tollgate-test-${pid}-spec-left`);
    mkdirSync(join(left, 'data'), { recursive: true });
    made.push(left);
    const folder = make('spec', 0);
    const isInMemory = dirname(folder) === '/dev/shm';
    expect(isInMemory).toBe(existsSync('/dev/shm'));
    expect([folder, ofAnother, left].map((one) => existsSync(one))).toEqual([true, true, !isInMemory]);
  });
});
