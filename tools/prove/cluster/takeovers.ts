import type { PostgresPair } from '@tollgate/testing';
import { eventually } from '@tollgate/testing';
import type { Client } from 'pg';
import { setTimeout as delay } from 'node:timers/promises';
import type { Say } from '../proof';
import { inSession, rowsOf } from './sql';
import type { Strike } from './strikes';

/** How far behind the asynchronous standby is. */
const behindMs = 4_000;
/** Metering looks every ten seconds whether what it stored is still there. */
const noticedMs = 12_000;

/**
 * Longer than the longest statement of metering may take: what was under way is given up, and runs after all
 * when the way is free.
 */
const hangS = 20;
/** Commits that wait for a standby that keeps up. */
const few = 10;

/**
 * The primary dies and its standby takes over, once synchronous and once seconds behind; and the way to it
 * hangs, also for what is longer than that of `freezeS`.
 * Callers need Postgres for nothing that they notice.
 */
export function takeovers(pair: PostgresPair, freezeS: readonly number[], say: Say): Strike[] {
  return [
    ...[hangS, ...freezeS.filter((seconds) => seconds > hangS)].map((seconds) => ({
      name: `database hangs ${seconds} s`,
      isPlanned: true,
      play: async () => {
        await pair.hang();
        try {
          await delay(seconds * 1_000);
        } finally {
          await pair.resume();
        }
        return [];
      },
    })),
    {
      name: 'takeover, synchronous',
      isPlanned: true,
      play: async () => {
        await pair.setSynchronous(true);
        await delay(1_000);
        const lost = await failOver(pair);
        await pair.rebuildStandby();
        return lost > 0 ? [`${lost} committed events were not at the synchronous standby`] : [];
      },
    },
    {
      name: 'takeover, 4 s behind',
      isPlanned: true,
      play: async () => {
        await pair.holdStandbyBack();
        await delay(behindMs);
        const lost = await failOver(pair);
        say(`The standby had not heard of ${lost} committed events.`);
        await delay(noticedMs);
        await pair.rebuildStandby();
        return lost === 0 ? ['no event was lost by the takeover, so it showed nothing'] : [];
      },
    },
  ];
}

/** Every commit waits for a standby that hangs: usage waits with the commits, and callers notice nothing. */
export function standbyHangs(pair: PostgresPair, freezeS: readonly number[], say: Say): Strike[] {
  return freezeS.map((seconds) => ({
    name: `standby hangs ${seconds} s`,
    isPlanned: true,
    play: async () => {
      await pair.setSynchronous(true);
      // A commit that its client gave up waits on, so that there may be no connection left after a while.
      const waiting = await inSession(pair.primaryUrl, async (client) => {
        const found = await whileHeldBack(pair, async () => {
          await delay(seconds * 1_000);
          return commitsThatWait(client);
        });
        await eventually(
          () => commitsThatWait(client),
          (left) => left < few,
          30_000,
        );
        return found;
      });
      say(`${waiting} commits waited for the standby.`);
      await pair.setSynchronous(false);
      return waiting === 0 ? ['no commit waited for the standby, so it showed nothing'] : [];
    },
  }));
}

async function whileHeldBack<Result>(pair: PostgresPair, work: () => Promise<Result>): Promise<Result> {
  await pair.holdStandbyBack();
  try {
    return await work();
  } finally {
    await pair.letStandbyOn();
  }
}

/** https://www.postgresql.org/docs/18/monitoring-stats.html#WAIT-EVENT-IPC-TABLE */
async function commitsThatWait(client: Client): Promise<number> {
  return (await client.query(`SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'`)).rows.length;
}

/**
 * How many events the new primary has less than the former one had; those that came between are not counted.
 */
async function failOver(pair: PostgresPair): Promise<number> {
  const before = await eventIds(pair.primaryUrl);
  await pair.failOver();
  const after = new Set(await eventIds(pair.primaryUrl));
  return before.filter((id) => !after.has(id)).length;
}

async function eventIds(url: string): Promise<string[]> {
  return (await rowsOf<{ id: string }>(url, 'SELECT id FROM usage_event')).map(({ id }) => id);
}
