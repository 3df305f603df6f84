import { GatewayError } from '@tollgate/contracts';
import { parentPort } from 'node:worker_threads';
import type { LargeBodyAnswer, LargeBodyJob } from './large-bodies';
import { operations } from './operations';
import { readSent } from './sent-request';

/** The thread that parses large bodies: it answers with the few facts that edge needs, and gives the body's memory back. */
parentPort?.on('message', (job: LargeBodyJob) => {
  const answer: LargeBodyAnswer = { ...answerTo(job), memory: job.memory };
  parentPort?.postMessage(answer, [job.memory]);
});

function answerTo({ path, memory, quotaTokens }: LargeBodyJob): Omit<LargeBodyAnswer, 'memory'> {
  try {
    const operation = operations.find((other) => other.path === path);
    if (!operation) throw new Error(`nothing is asked for at ${path}`);
    const sent = readSent(operation, Buffer.from(memory), quotaTokens);
    const { read, isRewritten } = sent;
    return { facts: { read, isRewritten, keepsState: sent.keepsState(), textBytes: sent.textBytes() } };
  } catch (error) {
    if (error instanceof GatewayError) return { refusal: { status: error.status, message: error.message } };
    return { fault: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}
