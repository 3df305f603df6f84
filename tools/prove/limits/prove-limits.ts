import { setTimeout as delay } from 'node:timers/promises';
import type { ValkeyPair } from '@tollgate/testing';
import type { Stack } from '../../stack/stack';
import { audit } from './audit';
import type { Audit } from './audit';
import { LimitedClient } from './limited-client';
import { proveTokens, tokenClients } from './prove-tokens';
import type { TokenFigures } from './prove-tokens';
import { behaviours } from './traffic';
import type { Behaviour } from './traffic';
import type { ValkeyStrike } from '../valkey-strikes';

/**
 * What one kind of traffic came to, over all its keys: the most in any window of any key, and sums of the
 * rest.
 */
interface Figures extends Audit {
  behaviour: string;
  keys: number;
}

export interface LimitsProof {
  limit: number;
  /** How often Valkey was struck. */
  strikes: number;
  figures: Figures[];
  /** Null: it was not looked at, as tokens may exceed a limit in the minute in which Valkey goes or comes. */
  tokens: TokenFigures | null;
  /** Of what an exact limiter would have admitted, and of the refusals whose Retry-After was obeyed. */
  usable: number;
  truthful: number;
  /**
   * True when tokens hold, no key had more than its limit in any 60 seconds, at least 99 % were usable, and
   * Retry-After was true in 99.9 %.
   */
  holds: boolean;
}

export interface LimitsProofOptions {
  limit: number;
  durationMs: number;
  /** What befalls Valkey again and again while the traffic runs; null: nothing. */
  trouble: { pair: ValkeyPair; strike: ValkeyStrike } | null;
  onProgress: (line: string) => void;
}

/** Valkey is struck so often, and a strike takes so long at most where there is nothing else to do. */
const strikeEveryMs = 30_000;
const strikeMs = 1_500;

/** Sends every kind of traffic at the same time, each under keys of its own, and audits the callers' logs. */
export async function proveLimits(stack: Stack, options: LimitsProofOptions): Promise<LimitsProof> {
  const { limit, durationMs, trouble, onProgress } = options;
  const crowd = await crowdOf(stack, limit);
  const ofTokens = trouble ? null : await tokenClients(stack);
  const endsAt = performance.now() + durationMs;
  const struck = trouble ? strikeAgainAndAgain(trouble, endsAt, onProgress) : Promise.resolve(0);
  const playing = crowd.map(async ({ behaviour, behave, clients }) => {
    const audits = await Promise.all(
      clients.map(async (client) => {
        await behave(client, limit, endsAt);
        await client.finish();
        return audit(client.visits, limit);
      }),
    );
    return { behaviour, keys: clients.length, ...together(audits) };
  });
  const [figures, tokens, strikes] = await Promise.all([
    Promise.all(playing),
    ofTokens && proveTokens(ofTokens, endsAt),
    struck,
  ]);
  const { holds, ...shares } = verdict(figures, limit);
  return { limit, strikes, figures, tokens, ...shares, holds: holds && tokens?.holds !== false };
}

/** Who will ask, each with a key of their own: made one after the other, before anybody asks. */
async function crowdOf(stack: Stack, limit: number) {
  const crowd: { behaviour: string; behave: Behaviour; clients: LimitedClient[] }[] = [];
  for (const [behaviour, { keys, behave }] of Object.entries(behaviours)) {
    const clients: LimitedClient[] = [];
    for (let made = 0; made < keys; made++) {
      const request = { name: behaviour, plan: 'enterprise', rpm: limit, quotaTokens: null };
      clients.push(new LimitedClient(stack.baseUrls, (await stack.createKey(request)).apiKey));
    }
    crowd.push({ behaviour, behave, clients });
  }
  return crowd;
}

async function strikeAgainAndAgain(
  { pair, strike }: NonNullable<LimitsProofOptions['trouble']>,
  endsAt: number,
  onProgress: (line: string) => void,
): Promise<number> {
  for (let time = 0; ; time++) {
    if (performance.now() + strikeEveryMs + strikeMs > endsAt) return time;
    await delay(strikeEveryMs);
    onProgress(`Valkey: ${await strike.play(pair, time)}`);
  }
}

function together(audits: readonly Audit[]): Audit {
  const sum = (field: keyof Audit) => audits.reduce((total, one) => total + one[field], 0);
  return {
    mostInWindow: Math.max(...audits.map(({ mostInWindow }) => mostInWindow)),
    mostTokensInWindow: Math.max(...audits.map(({ mostTokensInWindow }) => mostTokensInWindow)),
    admitted: sum('admitted'),
    admissible: sum('admissible'),
    waited: sum('waited'),
    waitedAdmitted: sum('waitedAdmitted'),
    strange: sum('strange'),
  };
}

function verdict(figures: readonly Figures[], limit: number): Pick<LimitsProof, 'usable' | 'truthful' | 'holds'> {
  const { mostInWindow, admitted, admissible, waited, waitedAdmitted, strange } = together(figures);
  const usable = admitted / admissible;
  const truthful = waitedAdmitted / waited;
  return { usable, truthful, holds: mostInWindow <= limit && usable >= 0.99 && truthful >= 0.999 && strange === 0 };
}
