import { parentPort } from 'node:worker_threads';
import { BodyWorker, handedOver } from './body-task';
import type { BodyJob } from './body-task';
import { giveWay } from './give-way';

giveWay();

/**
 * The thread that works on dear bodies: it answers with the few facts that edge needs, and gives the body's
 * memory back.
 */
const worker = new BodyWorker();

parentPort?.on('message', (job: BodyJob) => {
  const answer = worker.answerTo(job);
  parentPort?.postMessage(answer, handedOver(answer));
});
