import { GatewayError } from '@tollgate/contracts';
import { parentPort } from 'node:worker_threads';
import type { LargeBodyAnswer, LargeBodyJob } from './large-bodies';
import { operations } from './operations';
import { readSent } from './sent-request';

/** The thread that parses large bodies: it answers with the few facts that edge needs, and gives the body's memory back. */
parentPort?.on('message', (job: LargeBodyJob) => {
  const answer = answerTo(job);
  parentPort?.postMessage(answer, [answer.memory]);
});

/** A body in another form than its surface's own is written anew: the facts are of what was written, and its memory comes back. */
export function answerTo({ path, memory, quotaTokens }: LargeBodyJob): LargeBodyAnswer {
  try {
    const operation = operations.find((other) => other.path === path);
    if (!operation) throw new Error(`nothing is asked for at ${path}`);
    const came = readSent(operation, Buffer.from(memory), quotaTokens);
    const own = came.isRewritten ? written(came.parsed()) : memory;
    const sent = came.isRewritten ? readSent(operation, Buffer.from(own), quotaTokens) : came;
    const { read } = sent;
    const inputAt = read.state ? sent.inputAt() : null;
    return { memory: own, facts: { read, keepsState: sent.keepsState(), textBytes: sent.textBytes(), inputAt } };
  } catch (error) {
    if (error instanceof GatewayError) return { memory, refusal: { status: error.status, message: error.message } };
    return { memory, fault: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

function written(body: unknown): ArrayBuffer {
  const json = JSON.stringify(body);
  const memory = new ArrayBuffer(Buffer.byteLength(json));
  Buffer.from(memory).write(json);
  return memory;
}
