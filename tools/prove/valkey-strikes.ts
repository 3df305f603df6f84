import type { ValkeyPair } from '@tollgate/testing';
import { setTimeout as delay } from 'node:timers/promises';

/** What is done to Valkey again and again; `title` tells it in the report. */
export interface ValkeyStrike {
  title: string;
  /** `time`: how often it was done before. Resolves when there is a primary, and its replica, again. */
  play(pair: ValkeyPair, time: number): Promise<string>;
}

const awayMs = 1_500;
/** For so long new connections lead to the former primary, as those do that stand. */
const staleAddressMs = 1_000;

/** It dies, and comes back empty. */
export const restart: ValkeyStrike = {
  title: 'Valkey killed with -9',
  play: async ({ primary }) => {
    await primary.kill();
    await delay(awayMs);
    await primary.start();
    return 'killed';
  },
};

/** Its replica takes over: by turns because the primary died, and while that runs on as a replica. */
export const takeover: ValkeyStrike = {
  title: "Valkey's replica took over",
  play: async (pair, time) => {
    if (time % 2 === 0) {
      await pair.failOver();
      await pair.rebuildReplica();
      return 'killed, its replica promoted';
    }
    await pair.swapRoles();
    await delay(staleAddressMs);
    await pair.moveAddress();
    await pair.replicaHasAll();
    return 'changed places with its replica';
  },
};
