import { setTimeout as delay } from 'node:timers/promises';
import { Agent, fetch } from 'undici';
import { percentiles } from '../../bench/percentiles';
import type { Stack } from '../../stack/stack';
import { memoryGained } from './gauges';

/** What an overloaded gateway did. Rates are whole answers per second. */
export interface OverloadProof {
  peak: number;
  offered: number;
  goodput: number;
  /** Refusals during the overload, and their 50th and 99th percentile, milliseconds. */
  refused: number;
  refusedP50Ms: number;
  refusedP99Ms: number;
  /** Answers that were neither whole nor 503 with Retry-After. */
  strange: number;
  memoryGainedBytes: number;
  /**
   * From the end of the overload until a second passed in which nobody was refused, milliseconds; null: that
   * took longer than 30 s.
   */
  recoveredMs: number | null;
  holds: boolean;
}

/**
 * How many calls all instances take at once, and how long each takes: capacity is the one divided by the
 * other.
 */
export interface Capacity {
  calls: number;
  answerMs: number;
}

interface Answer {
  status: number;
  tookMs: number;
  hasRetryAfter: boolean;
}

const model = 'openai/gpt-5.4-mini';
const warmUpMs = 10_000;
const recoveredMs = 10_000;
const refusedInMs = 50;
const memoryBytes = 400 * 1024 * 1024;

/**
 * Offers three times of what the instances can take; what they can take must still be answered, the rest
 * refused at once.
 */
export async function proveOverload(stack: Stack, capacity: Capacity, seconds: number): Promise<OverloadProof> {
  const { apiKey } = await stack.createKey({ name: 'overload', plan: 'enterprise', rpm: null, quotaTokens: null });
  const ask = asker(stack, apiKey, capacity.answerMs);
  const peak = await peakRate(ask, capacity);
  const offered = 3 * peak;
  let answers: Answer[] = [];
  const gained = await memoryGained(stack, async () => {
    answers = await offer(ask, offered, seconds * 1_000);
  });
  const recovered = await recovery(ask, peak / 2);
  const whole = answers.filter(({ status }) => status === 200).length;
  const refusals = answers.filter(({ status, hasRetryAfter }) => status === 503 && hasRetryAfter);
  const { p50, p99 } = percentiles(refusals.map(({ tookMs }) => tookMs));
  const strange = answers.length - whole - refusals.length;
  const goodput = whole / seconds;
  return {
    peak,
    offered,
    goodput,
    refused: refusals.length,
    refusedP50Ms: p50,
    refusedP99Ms: p99,
    strange,
    memoryGainedBytes: gained,
    recoveredMs: recovered,
    holds:
      goodput >= 0.9 * peak &&
      p50 < refusedInMs &&
      strange === 0 &&
      gained < memoryBytes &&
      recovered !== null &&
      recovered < recoveredMs,
  };
}

/** Whole answers per second while as many calls run as fit. */
async function peakRate(ask: () => Promise<Answer>, { calls }: Capacity): Promise<number> {
  const endsAt = performance.now() + warmUpMs;
  let whole = 0;
  const caller = async (): Promise<void> => {
    while (performance.now() < endsAt) if ((await ask()).status === 200) whole++;
  };
  await Promise.all(Array.from({ length: calls }, caller));
  return (whole * 1_000) / warmUpMs;
}

/** Asks at a steady rate, whatever becomes of it. */
async function offer(ask: () => Promise<Answer>, perSecond: number, forMs: number): Promise<Answer[]> {
  const beganAt = performance.now();
  const running: Promise<Answer>[] = [];
  for (let number = 0; ; number++) {
    const dueMs = (number * 1_000) / perSecond;
    if (dueMs >= forMs) return Promise.all(running);
    const earlyMs = dueMs - (performance.now() - beganAt);
    if (earlyMs > 0) await delay(earlyMs);
    running.push(ask());
  }
}

async function recovery(ask: () => Promise<Answer>, perSecond: number): Promise<number | null> {
  const beganAt = performance.now();
  while (performance.now() - beganAt < 30_000) {
    const passedMs = performance.now() - beganAt;
    const answers = await offer(ask, perSecond, 1_000);
    if (answers.every(({ status }) => status === 200)) return passedMs;
  }
  return null;
}

function asker(stack: Stack, apiKey: string, answerMs: number): () => Promise<Answer> {
  const dispatcher = new Agent({ connections: null, pipelining: 1 });
  const content = `Hi. [[sandbox: tokens=5 first_ms=${answerMs}]]`;
  const body = JSON.stringify({ model, messages: [{ role: 'user', content }] });
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  let sent = 0;
  return async () => {
    const baseUrl = stack.baseUrls[sent++ % stack.baseUrls.length] ?? '';
    const sentAt = performance.now();
    const url = `${baseUrl}/v1/chat/completions`;
    const response = await fetch(url, { method: 'POST', headers, body, dispatcher });
    const tookMs = performance.now() - sentAt;
    await response.arrayBuffer();
    return { status: response.status, tookMs, hasRetryAfter: response.headers.has('retry-after') };
  };
}
