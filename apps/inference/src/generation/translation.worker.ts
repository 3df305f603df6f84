import { constants, getPriority, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { memoryOf, translationOf, type TranslationJob } from './translation-task';

// As edge's thread for bodies: it keeps no core from an event loop.
if (process.platform === 'linux') setPriority(Math.min(getPriority() + constants.priority.PRIORITY_BELOW_NORMAL, 19));

parentPort?.on('message', (job: TranslationJob) => {
  const answer = translationOf(job);
  parentPort?.postMessage(answer, memoryOf(answer));
});
