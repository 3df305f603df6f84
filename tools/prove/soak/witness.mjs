// Loaded into the services of `npm run prove -- soak`: at each SIGUSR2 a process collects its garbage and
// writes down what it still holds, into NODE_SOAK_FOLDER as <pid>.<number>.json.
// NODE_SOAK_PLANT names a program (edge, inference, …) that is to leak, so that the proof can be seen to find
// it: 64 bytes and a row of a Map for each HTTP request that it gets or sends.
import { subscribe } from 'node:diagnostics_channel';
import { renameSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { basename, dirname, join } from 'node:path';
import process from 'node:process';
import { setImmediate as turn } from 'node:timers/promises';
import { getHeapCodeStatistics } from 'node:v8';
import { isMainThread } from 'node:worker_threads';

const { NODE_SOAK_FOLDER: folder, NODE_SOAK_PLANT: leaking } = process.env;
const group = 'soak';
/** Of Node's own Timeouts, which it shows to nobody. */
const timeouts = 'Object.getPrototypeOf((timer => (clearTimeout(timer), timer))(setTimeout(() => undefined, 0)))';

if (isMainThread && folder !== undefined) {
  const session = new Session();
  session.connect();
  let looks = 0;

  /**
   * Sums `of` every living object with that prototype, but for what only stands on it (`Map.prototype.size`
   * throws for that). To ask for them collects garbage first.
   */
  const sumOver = async (prototype, of) => {
    const { result } = await session.post('Runtime.evaluate', { expression: prototype, objectGroup: group });
    const { objects } = await session.post('Runtime.queryObjects', {
      prototypeObjectId: result.objectId,
      objectGroup: group,
    });
    const { result: sum } = await session.post('Runtime.callFunctionOn', {
      objectId: objects.objectId,
      functionDeclaration: `function () { let sum = 0; for (const one of this) try { sum += ${of} } catch {} return sum; }`,
      returnByValue: true,
    });
    await session.post('Runtime.releaseObjectGroup', { objectGroup: group });
    return sum.value;
  };

  const look = async () => {
    const number = ++looks;
    const maps = await sumOver('Map.prototype', '1');
    const rows = (await sumOver('Map.prototype', 'one.size')) + (await sumOver('Set.prototype', 'one.size'));
    // One that was cleared, or has run, is no timer any more, whoever keeps it.
    const timers = await sumOver(timeouts, '(one._destroyed ? 0 : 1)');
    // What finalizers let go is collected the second time.
    for (let time = 0; time < 2; time++) {
      await session.post('HeapProfiler.collectGarbage');
      await turn();
    }
    const { heapUsed, external } = process.memoryUsage();
    const { code_and_metadata_size: code, bytecode_and_metadata_size: bytecode } = getHeapCodeStatistics();
    const codeBytes = code + bytecode;
    const held = { heapBytes: heapUsed - codeBytes, codeBytes, externalBytes: external, maps, rows, timers };
    const path = join(folder, `${process.pid}.${number}.json`);
    writeFileSync(`${path}.new`, JSON.stringify(held));
    renameSync(`${path}.new`, path);
  };
  process.on('SIGUSR2', () => void look());

  if (leaking !== undefined && basename(dirname(process.argv[1] ?? '')) === leaking) {
    const leak = new Map();
    const keep = () => leak.set(leak.size, Buffer.alloc(64).toString('latin1'));
    subscribe('http.server.request.start', keep);
    subscribe('undici:request:create', keep);
  }
}
