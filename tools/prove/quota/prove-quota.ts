import { meteringOperations } from '@tollgate/contracts/metering';
import { Agent, fetch } from 'undici';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { Stack } from '../../stack/stack';
import { SimulatedProvider } from '../simulated-provider';

export interface QuotaProof {
  /**
   * Requests that were sent at once on a quota with room for `room` of them, what was admitted, and what they
   * used of the quota.
   */
  crowd: { requests: number; room: number; admitted: number; used: number; quota: number };
  /**
   * Requests that were under way when all edges and inference instances were killed, and what they had
   * reserved.
   */
  killed: { inFlight: number; reservedTokens: number };
  /** Milliseconds from the kill until nothing was reserved; null: something still was after two minutes. */
  reservedUntilMs: number | null;
  holds: boolean;
}

export interface QuotaProofOptions {
  crowd: number;
  inFlight: number;
  onProgress: (line: string) => void;
}

const model = 'openai/gpt-5.4-mini';
const room = 10;
/** What a request of the crowd reserves at most: its input, some 20 tokens, and `max_tokens`. */
const outputTokens = 100;
const reservedAtMostMs = 120_000;
const openingMs = 60_000;

const usage = z.object({ used: z.number(), quota: z.number() });

/**
 * Nobody can overspend a quota by asking at once, and no reservation outlives its request by more than two
 * minutes, whatever is killed.
 */
export async function proveQuota(
  stack: Stack,
  { crowd, inFlight, onProgress }: QuotaProofOptions,
): Promise<QuotaProof> {
  onProgress(`${crowd} requests at once, over ${stack.baseUrls.length} edges, on a quota for ${room}.`);
  const ofCrowd = await askAtOnce(stack, crowd);
  onProgress(`Opening ${inFlight} requests that never end by themselves.`);
  const killed = await killAll(stack, inFlight);
  onProgress(`Killed ${killed.inFlight} requests with ${killed.reservedTokens} tokens reserved; waiting for these.`);
  const reservedUntilMs = await untilNothingIsReserved(stack);
  const isWithin = ofCrowd.admitted > 0 && ofCrowd.used <= ofCrowd.quota;
  const holds = isWithin && killed.inFlight === inFlight && reservedUntilMs !== null;
  return { crowd: ofCrowd, killed, reservedUntilMs, holds };
}

async function askAtOnce(stack: Stack, requests: number): Promise<QuotaProof['crowd']> {
  const quota = room * (outputTokens + 30);
  const { apiKey } = await stack.createKey({ name: 'crowd', plan: 'enterprise', rpm: null, quotaTokens: quota });
  const statuses = await Promise.all(
    Array.from({ length: requests }, async (_, number) => {
      const response = await post(edgeOf(stack, number), apiKey, 'tokens=100', { max_tokens: outputTokens });
      await response.text();
      return response.status;
    }),
  );
  const admitted = statuses.filter((status) => status === 200).length;
  const strange = statuses.find((status) => status !== 200 && status !== 429);
  if (strange !== undefined) throw new Error(`A request of the crowd was answered ${strange}.`);
  await delay(2_000);
  const response = await fetch(`${stack.baseUrl}/v1/usage`, { headers: { authorization: `Bearer ${apiKey}` } });
  const { used } = usage.parse(await response.json());
  return { requests, room, admitted, used, quota };
}

async function killAll(stack: Stack, wanted: number): Promise<QuotaProof['killed']> {
  const quotaTokens = wanted * 10_000;
  const { apiKey } = await stack.createKey({ name: 'in flight', plan: 'enterprise', rpm: null, quotaTokens });
  let inFlight = wanted;
  for (let number = 0; number < wanted; number++) {
    // Each waits for its first token, which never comes, until its edge dies. One that is refused before is
    // not under way.
    post(edgeOf(stack, number), apiKey, 'fault=hang', { stream: true }).then(
      ({ ok }) => {
        if (!ok) inFlight--;
      },
      () => inFlight--,
    );
    if (number % 20 === 19) await delay(15);
  }
  const reservedTokens = await reservedBy(stack, wanted);
  const killed = { inFlight, reservedTokens };
  for (const name of stack.processes.keys()) if (/^(edge|inference)/.test(name)) stack.process(name).kill('SIGKILL');
  return killed;
}

/**
 * Tokens that are reserved once the requests have arrived at the provider: their edges hold leases for them.
 */
async function reservedBy(stack: Stack, requests: number): Promise<number> {
  const provider = new SimulatedProvider(stack.sandboxUrl ?? '');
  const giveUpAt = Date.now() + openingMs;
  for (;;) {
    const { reservedTokens } = await stack.call(meteringOperations.status, {});
    const rows = await provider.ledger();
    const open = rows.filter(({ state, fault }) => state === 'open' && fault === 'hang').length;
    if (open >= requests || Date.now() > giveUpAt) return reservedTokens;
    await delay(500);
  }
}

async function untilNothingIsReserved(stack: Stack): Promise<number | null> {
  const killedAt = Date.now();
  for (;;) {
    const { reservedTokens } = await stack.call(meteringOperations.status, {});
    const passedMs = Date.now() - killedAt;
    if (reservedTokens === 0) return passedMs;
    if (passedMs > reservedAtMostMs) return null;
    await delay(500);
  }
}

const sockets = new Agent({ connections: null, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 });

function post(baseUrl: string, apiKey: string, controls: string, members: object): ReturnType<typeof fetch> {
  return fetch(`${baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: `Hi. [[sandbox: ${controls}]]` }], ...members }),
    dispatcher: sockets,
  });
}

function edgeOf(stack: Stack, number: number): string {
  return stack.baseUrls[number % stack.baseUrls.length] ?? '';
}
