// Loaded into the services of `npm run bench -- --steps`: from one SIGUSR2 to the next it writes down where a
// process's time goes, and what it allocates, into NODE_PROFILES_FOLDER.
import { renameSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import process from 'node:process';
import { isMainThread } from 'node:worker_threads';

const everyUs = 500;
/** One allocation in so many bytes is looked at; what was freed meanwhile counts too. */
const allocations = {
  samplingInterval: 65_536,
  includeObjectsCollectedByMajorGC: true,
  includeObjectsCollectedByMinorGC: true,
};
const { NODE_PROFILES_FOLDER: folder } = process.env;

if (isMainThread && folder !== undefined) {
  const session = new Session();
  session.connect();
  let isOn = false;
  const write = (name, content) => {
    const path = join(folder, name);
    writeFileSync(`${path}.new`, JSON.stringify(content));
    renameSync(`${path}.new`, path);
  };
  const turn = async () => {
    isOn = !isOn;
    if (isOn) {
      await session.post('Profiler.enable');
      await session.post('Profiler.setSamplingInterval', { interval: everyUs });
      await session.post('Profiler.start');
      await session.post('HeapProfiler.startSampling', allocations);
      return;
    }
    const { profile } = await session.post('Profiler.stop');
    const { profile: heap } = await session.post('HeapProfiler.stopSampling');
    write(`${process.pid}.heapprofile`, heap);
    write(`${process.pid}.cpuprofile`, profile);
  };
  process.on('SIGUSR2', () => void turn());
}
