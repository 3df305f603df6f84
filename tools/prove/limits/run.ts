import { setTimeout as delay } from 'node:timers/promises';
import type { Stack } from '../../stack/stack';
import { StackError } from '../../stack/stack-error';
import type { ProofValues, Say } from '../proof';
import { restart, takeover } from '../valkey-strikes';
import type { ValkeyStrike } from '../valkey-strikes';
import { withStack, withValkey, withValkeyPair } from '../with-stack';
import { LimitedClient } from './limited-client';
import { proveLimits } from './prove-limits';
import type { LimitsProof, LimitsProofOptions } from './prove-limits';

interface Scene {
  edges: number;
  /** What befalls the Valkey behind several edges; null: nothing. */
  strike: ValkeyStrike | null;
}

const scenes: Record<string, Scene> = {
  one: { edges: 1, strike: null },
  three: { edges: 3, strike: null },
  restarts: { edges: 3, strike: restart },
  takeovers: { edges: 3, strike: takeover },
};

/** `--scene one`, `three`, `restarts` or `takeovers` plays only that. */
export const limitsOptions = {
  seconds: { type: 'string', default: '150' },
  scene: { type: 'string', multiple: true },
} as const;

/** Holds when every scene does. */
export async function runLimits(values: ProofValues<typeof limitsOptions>, say: Say): Promise<boolean> {
  const chosen = Object.entries(scenes).filter(([name]) => values.scene?.includes(name) ?? true);
  if (chosen.length === 0) throw new StackError(`--scene is one of ${Object.keys(scenes).join(', ')}.`);
  const held: boolean[] = [];
  for (const [, scene] of chosen) held.push(await beside(scene, { seconds: Number(values.seconds), say }));
  return held.every((holds) => holds);
}

interface Playing {
  readonly seconds: number;
  readonly say: Say;
}

/** Where nothing befalls Valkey, edges reach it themselves. */
function beside(scene: Scene, playing: Playing): Promise<boolean> {
  const { edges, strike } = scene;
  if (strike) return withValkeyPair((pair) => play(scene, pair.url, { pair, strike }, playing));
  return edges > 1 ? withValkey(({ url }) => play(scene, url, null, playing)) : play(scene, null, null, playing);
}

/** Whether the proof holds on a stack with so many edges, which have the Valkey at `url` in common, if any. */
async function play(
  { edges, strike }: Scene,
  url: string | null,
  trouble: LimitsProofOptions['trouble'],
  { seconds, say }: Playing,
): Promise<boolean> {
  const title = edges === 1 ? 'One edge' : `${edges} edges`;
  say(`\n${title}${strike ? `, ${strike.title}` : ''}: starting`);
  const environment = url === null ? {} : { VALKEY_URL: url };
  return withStack({ durable: false, instances: { edge: edges }, environment }, async (stack) => {
    const proof = await proveLimits(stack, { limit: 60, durationMs: seconds * 1_000, trouble, onProgress: say });
    say(limitsReport(title, strike?.title ?? '', proof));
    if (!strike) {
      const { quietP99Ms, floodedP99Ms, refusals } = await watchBystanders(stack);
      const figures = `${quietP99Ms.toFixed(1)} ms, beside a flood of ${refusals} refusals ${floodedP99Ms.toFixed(1)} ms`;
      say(`  p99 of a caller without a limit: ${figures}`);
    }
    return proof.holds;
  });
}

/**
 * The 99th percentile of what a caller without a limit waits, beside nothing and beside a flood of refusals
 * on another key, milliseconds.
 */
interface Bystanders {
  quietP99Ms: number;
  floodedP99Ms: number;
  refusals: number;
}

const rounds = 4;
const roundMs = 4_000;
const bystandersPerMinute = 3_000;
const floodPerMinute = 24_000;

/** Takes turns: a quiet round, a flooded one. */
async function watchBystanders(stack: Stack): Promise<Bystanders> {
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

/** The proof as a text for people. `title`: what it was about; `trouble`: what befell Valkey, if anything. */
function limitsReport(
  title: string,
  trouble: string,
  { limit, strikes, figures, tokens, usable, truthful, holds }: LimitsProof,
): string {
  const percent = (part: number) => `${(part * 100).toFixed(2)} %`;
  return [
    '',
    `${title}: at most ${limit} in any 60 s${strikes > 0 ? `, ${trouble} ${strikes} times` : ''}`,
    row(['traffic', 'keys', 'most in 60 s', 'admitted', 'exact limiter', 'obeyed', 'then admitted']),
    ...figures.map(({ behaviour, keys, mostInWindow, admitted, admissible, waited, waitedAdmitted, strange }) =>
      row([behaviour, keys, mostInWindow, admitted, admissible, waited, waitedAdmitted]).concat(
        strange > 0 ? `  and ${strange} strange answers` : '',
      ),
    ),
    ...(tokens
      ? [
          `  of ${tokens.limit} tokens a minute (${tokens.keys} keys): ${tokens.mostInWindow} at most, ${tokens.admitted} requests admitted, ${tokens.refused} refused, ${tokens.waitedAdmitted} of ${tokens.waited} that waited were admitted`,
        ]
      : []),
    `  usable ${percent(usable)}, Retry-After true ${percent(truthful)}: ${holds ? 'proved' : 'NOT proved'}`,
  ].join('\n');
}

function row([name = '', ...numbers]: (string | number)[]): string {
  return `  ${String(name).padEnd(12)} ${numbers.map((text) => String(text).padStart(14)).join('')}`;
}
