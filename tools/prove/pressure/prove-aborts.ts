import { setTimeout as delay } from 'node:timers/promises';
import type { GenerationSurface } from '@tollgate/contracts';
import { percentiles } from '../../bench/percentiles';
import type { Stack } from '../../stack/stack';
import { SimulatedProvider } from '../simulated-provider';
import { clientSurfaces } from '../client-surface';
import { gauge, memoryGained, openFiles, within } from './gauges';

/** What became of callers who hung up. Times in milliseconds. */
export interface AbortsProof {
  left: number;
  /** Of those, requests that the provider had begun and not ended when their caller left. */
  underWay: number;
  /** From the caller's leaving to the end of the connection to the provider. */
  closedP50Ms: number;
  closedP99Ms: number;
  /** Requests whose provider was never told. */
  neverClosed: number;
  /**
   * Generations that edge and inference still held afterwards, and files and sockets that they had more than
   * before (null: not told).
   */
  stillOpen: number;
  filesGained: number | null;
  memoryGainedBytes: number;
  holds: boolean;
}

const model = 'anthropic/claude-opus-4-8';
const points = 20;
const longestMs = 1_000;
const atOnce = 48;
const targetMs = 1_000;
/** Connections are kept for a while, so some are always open. */
const filesInReserve = 100;
const idleMs = 60_000;
const surfaces: readonly GenerationSurface[] = ['openai-chat', 'anthropic-messages', 'openai-responses'];

/**
 * Callers leave at 20 points of their answers, streamed and not, on all surfaces; the connection to the
 * provider must end within a second.
 */
export async function proveAborts(stack: Stack, requests: number): Promise<AbortsProof> {
  const { apiKey } = await stack.createKey({ name: 'leaves', plan: 'enterprise', rpm: null, quotaTokens: null });
  const provider = new SimulatedProvider(stack.sandboxUrl ?? '');
  const leftAt = new Map<string, number>();
  await leaveAll(stack, apiKey, atOnce * 2, leftAt);
  leftAt.clear();
  await within(20_000, async () => (await generations(stack)) === 0);
  const filesBefore = openFiles(stack);
  const memoryGainedBytes = await memoryGained(stack, () => leaveAll(stack, apiKey, requests, leftAt));
  const isEmpty = await within(30_000, async () => (await generations(stack)) === 0);
  const rows = (await provider.ledger()).filter(
    ({ requestId, startedAt, endedAt }) =>
      startedAt <= (leftAt.get(requestId) ?? 0) && isAfter(endedAt, leftAt.get(requestId)),
  );
  const times = rows.flatMap(({ requestId, closedByPeerAt }) =>
    closedByPeerAt === null ? [] : [closedByPeerAt - (leftAt.get(requestId) ?? 0)],
  );
  const { p50, p99 } = percentiles(times);
  const neverClosed = rows.length - times.length;
  await within(idleMs, () => Promise.resolve((openFiles(stack) ?? 0) - (filesBefore ?? 0) <= filesInReserve));
  const filesAfter = openFiles(stack);
  const filesGained = filesBefore === null || filesAfter === null ? null : filesAfter - filesBefore;
  const isClean = isEmpty && (filesGained ?? 0) <= filesInReserve;
  return {
    left: requests,
    underWay: rows.length,
    closedP50Ms: p50,
    closedP99Ms: p99,
    neverClosed,
    stillOpen: isEmpty ? 0 : await generations(stack),
    filesGained,
    memoryGainedBytes,
    holds: rows.length > requests / 2 && neverClosed === 0 && p99 < targetMs && isClean,
  };
}

function isAfter(endedAt: number | null, moment = 0): boolean {
  return endedAt === null || endedAt >= moment;
}

async function generations(stack: Stack): Promise<number> {
  return (
    (await gauge(stack, 'edge', 'edge_open_generations')) +
    (await gauge(stack, 'inference', 'tollgate_inference_in_flight'))
  );
}

async function leaveAll(stack: Stack, apiKey: string, requests: number, leftAt: Map<string, number>): Promise<void> {
  let next = 0;
  const caller = async (): Promise<void> => {
    while (next < requests) await leave(stack, apiKey, next++, leftAt);
  };
  await Promise.all(Array.from({ length: atOnce }, caller));
}

/** One request, left after a time that its number decides. Its answer would take longer than that. */
async function leave(stack: Stack, apiKey: string, number: number, leftAt: Map<string, number>): Promise<void> {
  const surface = clientSurfaces[surfaces[number % surfaces.length] ?? 'openai-chat'];
  const stream = Math.floor(number / surfaces.length) % 3 !== 0;
  const id = `leaves-${process.pid}-${leftAt.size}-${number}`;
  const prompt = `Leave. [[sandbox: tokens=400 ${stream ? 'delay_ms=10' : 'first_ms=4000'}]]`;
  const caller = new AbortController();
  const answer = fetch(stack.baseUrls[number % stack.baseUrls.length] + surface.path, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', 'x-request-id': id },
    body: JSON.stringify(surface.body(model, prompt, stream)),
    signal: caller.signal,
  });
  const read = answer.then((response) => response.arrayBuffer()).catch(() => undefined);
  await delay(((number % points) + 1) * (longestMs / points));
  leftAt.set(id, Date.now());
  caller.abort();
  await read;
}
