import { setTimeout as delay } from 'node:timers/promises';
import type { Stack } from '../../stack/stack';
import { LimitedClient } from './limited-client';

/**
 * The 99th percentile of what a caller without a limit waits, beside nothing and beside a flood of refusals
 * on another key, milliseconds.
 */
export interface Bystanders {
  quietP99Ms: number;
  floodedP99Ms: number;
  refusals: number;
}

const rounds = 4;
const roundMs = 4_000;
const bystandersPerMinute = 3_000;
const floodPerMinute = 24_000;

/** Takes turns: a quiet round, a flooded one. */
export async function watchBystanders(stack: Stack): Promise<Bystanders> {
  const client = async (rpm: number | null) => {
    const { apiKey } = await stack.createKey({ name: 'bystander', plan: 'enterprise', rpm, quotaTokens: null });
    return new LimitedClient(stack.baseUrls, apiKey);
  };
  const [quiet, flooded, limited] = await Promise.all([client(null), client(null), client(60)]);
  for (let round = 0; round < rounds; round++) {
    await quiet.pace(bystandersPerMinute, performance.now() + roundMs);
    const endsAt = performance.now() + roundMs;
    await Promise.all([limited.pace(floodPerMinute, endsAt), flooded.pace(bystandersPerMinute, endsAt)]);
    await delay(200);
  }
  return {
    quietP99Ms: p99(quiet),
    floodedP99Ms: p99(flooded),
    refusals: limited.visits.filter(({ status }) => status === 429).length,
  };
}

function p99({ visits }: LimitedClient): number {
  const times = visits.map(({ sentAt, answeredAt }) => answeredAt - sentAt).sort((a, b) => a - b);
  return times[Math.floor(times.length * 0.99)] ?? NaN;
}
