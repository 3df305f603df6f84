import { parentPort } from 'node:worker_threads';
import { giveWay } from './give-way';
import type { ZstdJob } from './zstd-threads';

giveWay();

/**
 * The thread that decompresses bodies of zstd where Node cannot. It answers with nothing for what is broken,
 * and for more than `most` bytes: in the place of its result, zstd tells an error then.
 */
async function start(): Promise<void> {
  const { ZSTDDecoder } = await import('zstddec');
  const decoder = new ZSTDDecoder();
  await decoder.init();
  parentPort?.on('message', ({ bytes, most }: ZstdJob) => {
    const decoded = decoder.decode(bytes, most);
    parentPort?.postMessage(decoded, decoded.buffer instanceof ArrayBuffer ? [decoded.buffer] : []);
  });
}

void start();
