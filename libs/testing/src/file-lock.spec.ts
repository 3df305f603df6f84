import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withFileLock } from './file-lock';

describe('a lock between processes', () => {
  let folder: string;
  let path: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'file-lock-spec-'));
    path = join(folder, 'lock');
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('lets one in at a time, also after a failure', async () => {
    let inside = 0;
    let most = 0;
    const work = async (): Promise<void> => {
      most = Math.max(most, ++inside);
      await new Promise((resolve) => setTimeout(resolve, 10));
      inside--;
      throw new Error('failed');
    };
    await Promise.allSettled([withFileLock(path, work), withFileLock(path, work), withFileLock(path, work)]);
    expect(most).toBe(1);
  });

  it('is taken over when its owner is gone', async () => {
    await writeFile(path, '999999999');
    await expect(withFileLock(path, async () => 'done')).resolves.toBe('done');
  });

  it('is waited for no longer than told', async () => {
    await writeFile(path, String(process.pid));
    await expect(withFileLock(path, async () => 'done', 200)).rejects.toThrow(path);
  });
});
