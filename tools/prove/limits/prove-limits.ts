import { setTimeout as delay } from 'node:timers/promises';
import type { ValkeyServer } from '@tollgate/testing';
import type { Stack } from '../../stack/stack';
import { audit } from './audit';
import type { Audit } from './audit';
import { LimitedClient } from './limited-client';
import { behaviours } from './traffic';

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
  restarts: number;
  figures: Figures[];
  /** Of what an exact limiter would have admitted, and of the refusals whose Retry-After was obeyed. */
  usable: number;
  truthful: number;
  /**
   * True when no key had more than its limit in any 60 seconds, at least 99 % were usable, and Retry-After
   * was true in 99.9 %.
   */
  holds: boolean;
}

export interface LimitsProofOptions {
  limit: number;
  durationMs: number;
  /** Killed with -9 again and again while the traffic runs, and started empty; null: left alone. */
  victim: ValkeyServer | null;
  onProgress: (line: string) => void;
}

/** Valkey is killed so often, and is away so long. */
const killEveryMs = 30_000;
const awayMs = 1_500;

/** Sends every kind of traffic at the same time, each under keys of its own, and audits the callers' logs. */
export async function proveLimits(stack: Stack, options: LimitsProofOptions): Promise<LimitsProof> {
  const { limit, durationMs, victim, onProgress } = options;
  const endsAt = performance.now() + durationMs;
  const destruction = victim ? killAgainAndAgain(victim, endsAt, onProgress) : Promise.resolve(0);
  const figures = await Promise.all(
    Object.entries(behaviours).map(async ([behaviour, { keys, behave }]) => {
      const audits = await Promise.all(
        Array.from({ length: keys }, async () => {
          const request = { name: behaviour, plan: 'enterprise', rpm: limit, quotaTokens: null };
          const client = new LimitedClient(stack.baseUrls, (await stack.createKey(request)).apiKey);
          await behave(client, limit, endsAt);
          await client.finish();
          return audit(client.visits, limit);
        }),
      );
      return { behaviour, keys, ...together(audits) };
    }),
  );
  return { limit, restarts: await destruction, figures, ...verdict(figures, limit) };
}

async function killAgainAndAgain(
  valkey: ValkeyServer,
  endsAt: number,
  onProgress: (line: string) => void,
): Promise<number> {
  for (let restarts = 0; ; restarts++) {
    if (performance.now() + killEveryMs + awayMs > endsAt) return restarts;
    await delay(killEveryMs);
    onProgress('kill -9 valkey');
    await valkey.kill();
    await delay(awayMs);
    await valkey.start();
  }
}

function together(audits: readonly Audit[]): Audit {
  const sum = (field: keyof Audit) => audits.reduce((total, one) => total + one[field], 0);
  return {
    mostInWindow: Math.max(...audits.map(({ mostInWindow }) => mostInWindow)),
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
