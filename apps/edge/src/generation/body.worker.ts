import { constants, getPriority, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { BodyWorker, handedOver } from './body-task';
import type { BodyJob } from './body-task';

/**
 * Linux has a priority for each thread, where another system would take it for the whole process: there, a
 * core that the event loop wants is not kept from it by what is dear.
 * https://man7.org/linux/man-pages/man2/setpriority.2.html
 *
 * Counted from what the process has: one that was started at a lower priority may not raise it, and the
 * thread would end.
 */
if (process.platform === 'linux') setPriority(Math.min(getPriority() + constants.priority.PRIORITY_BELOW_NORMAL, 19));

/**
 * The thread that works on dear bodies: it answers with the few facts that edge needs, and gives the body's
 * memory back.
 */
const worker = new BodyWorker();

parentPort?.on('message', (job: BodyJob) => {
  const answer = worker.answerTo(job);
  parentPort?.postMessage(answer, handedOver(answer));
});
