// Loaded into the services of `npm run bench -- --path`: at the first SIGUSR2 a process begins to note which
// functions run, at each later one it writes down those since, into NODE_PROFILES_FOLDER.
import { renameSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import process from 'node:process';
import { isMainThread } from 'node:worker_threads';

const { NODE_PROFILES_FOLDER: folder } = process.env;

if (isMainThread && folder !== undefined) {
  const session = new Session();
  session.connect();
  let taken = -1;
  const take = async () => {
    taken++;
    if (taken === 0) {
      await session.post('Profiler.enable');
      await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    }
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const path = join(folder, `${process.pid}.${taken}.coverage`);
    writeFileSync(`${path}.new`, JSON.stringify(result));
    renameSync(`${path}.new`, path);
  };
  process.on('SIGUSR2', () => void take());
}
