// Loaded into the services of `npm run bench -- --steps`: from one SIGUSR2 to the next it writes down where a
// process's time goes, into NODE_PROFILES_FOLDER.
import { renameSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import process from 'node:process';
import { isMainThread } from 'node:worker_threads';

const everyUs = 500;
const { NODE_PROFILES_FOLDER: folder } = process.env;

if (isMainThread && folder !== undefined) {
  const session = new Session();
  session.connect();
  let isOn = false;
  const turn = async () => {
    isOn = !isOn;
    if (isOn) {
      await session.post('Profiler.enable');
      await session.post('Profiler.setSamplingInterval', { interval: everyUs });
      await session.post('Profiler.start');
      return;
    }
    const { profile } = await session.post('Profiler.stop');
    const path = join(folder, `${process.pid}.cpuprofile`);
    writeFileSync(`${path}.new`, JSON.stringify(profile));
    renameSync(`${path}.new`, path);
  };
  process.on('SIGUSR2', () => void turn());
}
