import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { percentiles } from '../../bench/percentiles';
import type { Stack } from '../../stack/stack';
import { LimitedClient } from '../limits/limited-client';
import { memoryGained } from './gauges';

/**
 * What slow callers cost others: the 99th percentile of an ordinary caller alone and beside them,
 * milliseconds, and memory.
 */
export interface SlowPeersProof {
  readers: number;
  halfOpen: number;
  quietP99Ms: number;
  besideP99Ms: number;
  memoryGainedBytes: number;
  holds: boolean;
}

const rounds = 3;
const roundMs = 6_000;
const ordinaryPerMinute = 3_000;
/**
 * Time for the answers to fill all that lies between the provider and their readers; shorter than edge's
 * patience with those (30 s).
 */
const fillMs = 12_000;
const extraMs = 10;
const memoryBytes = 300 * 1024 * 1024;
/** Far beyond what sockets and windows hold. */
const longAnswer = { stream: true, tokens: 30_000 };
const model = 'openai/gpt-5.4-mini';

/**
 * Readers that take a byte a second, and requests whose rest never comes, beside one ordinary caller. Takes
 * turns: rounds without them, and with them.
 */
export async function proveSlowPeers(stack: Stack, readers: number, halfOpen: number): Promise<SlowPeersProof> {
  const key = (name: string) => stack.createKey({ name, plan: 'enterprise', rpm: null, quotaTokens: null });
  const [{ apiKey: ordinary }, { apiKey: slow }] = [await key('ordinary'), await key('slow')];
  const quiet = new LimitedClient(stack.baseUrls, ordinary);
  const beside = new LimitedClient(stack.baseUrls, ordinary);
  const pace = (client: LimitedClient) => client.pace(ordinaryPerMinute, performance.now() + roundMs);
  await pace(new LimitedClient(stack.baseUrls, ordinary));
  const memoryGainedBytes = await memoryGained(stack, async () => {
    for (let round = 0; round < rounds; round++) {
      await pace(quiet);
      const sockets = await openSlow(stack, slow, readers, halfOpen);
      await delay(fillMs);
      const reading = setInterval(() => sockets.forEach((socket) => void socket.read(1)), 1_000);
      await pace(beside);
      clearInterval(reading);
      for (const socket of sockets) socket.destroy();
      await delay(2_000);
    }
  });
  const [quietP99Ms, besideP99Ms] = [p99(quiet), p99(beside)];
  const isAnswered = [...quiet.visits, ...beside.visits].every(({ status }) => status === 200);
  return {
    readers,
    halfOpen,
    quietP99Ms,
    besideP99Ms,
    memoryGainedBytes,
    holds: isAnswered && besideP99Ms - quietP99Ms < extraMs && memoryGainedBytes < memoryBytes,
  };
}

async function openSlow(stack: Stack, apiKey: string, readers: number, halfOpen: number): Promise<Socket[]> {
  const sockets: Socket[] = [];
  const open = async (number: number, text: string): Promise<void> => {
    const { hostname, port } = new URL(stack.baseUrls[number % stack.baseUrls.length] ?? '');
    const socket = connect({ host: hostname, port: Number(port) });
    socket.on('error', () => undefined);
    socket.pause();
    socket.write(text);
    sockets.push(socket);
    if (number % 50 === 49) await delay(20);
  };
  const content = `Long. [[sandbox: tokens=${longAnswer.tokens} delay_ms=0]]`;
  const body = JSON.stringify({ model, stream: longAnswer.stream, messages: [{ role: 'user', content }] });
  for (let number = 0; number < readers; number++) await open(number, head(apiKey, body.length) + body);
  // One half of them owes a part of its head, the other one of its body.
  for (let number = 0; number < halfOpen; number++) {
    const whole = head(apiKey, 1_000);
    await open(number, number % 2 === 0 ? whole.slice(0, -2) : `${whole}{"model":`);
  }
  return sockets;
}

function head(apiKey: string, length: number): string {
  return [
    'POST /v1/chat/completions HTTP/1.1',
    'host: tollgate',
    `authorization: Bearer ${apiKey}`,
    'content-type: application/json',
    `content-length: ${length}`,
    '',
    '',
  ].join('\r\n');
}

function p99({ visits }: LimitedClient): number {
  return percentiles(visits.map(({ sentAt, answeredAt }) => answeredAt - sentAt)).p99;
}
