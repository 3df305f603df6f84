import { readFile, rm, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Runs `work` while no other process does under the same lock file. The file holds the owner's pid; a lock
 * whose owner is gone is taken over.
 * @throws Error when the lock is not free within `timeoutMs`.
 */
export async function withFileLock<T>(path: string, work: () => Promise<T>, timeoutMs = 180_000): Promise<T> {
  const giveUpAt = Date.now() + timeoutMs;
  while (!(await tryLock(path))) {
    if (Date.now() > giveUpAt) throw new Error(`Waited ${timeoutMs} ms for ${path}; remove it if no process needs it.`);
    await removeIfAbandoned(path);
    await sleep(100);
  }
  try {
    return await work();
  } finally {
    await rm(path, { force: true });
  }
}

async function tryLock(path: string): Promise<boolean> {
  return writeFile(path, String(process.pid), { flag: 'wx' }).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return false;
      throw error;
    },
  );
}

async function removeIfAbandoned(path: string): Promise<void> {
  const pid = Number(await readFile(path, 'utf8').catch(() => ''));
  if (pid && !isAlive(pid)) await rm(path, { force: true });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
