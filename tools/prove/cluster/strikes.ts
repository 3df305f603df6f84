import type { LinkedNatsCluster, NatsCluster, PgBouncer, PostgresPair, ValkeyPair } from '@tollgate/testing';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Stack } from '../../stack/stack';
import type { Balancer } from '../balancer';
import type { Say } from '../proof';
import { restart, takeover } from '../valkey-strikes';
import { poolerStrikes } from './pooler-strikes';
import { standbyHangs, takeovers } from './takeovers';

/** What befalls one part. */
export interface Strike {
  name: string;
  /** An operator did it, or callers do not depend on the part: then not one request may notice. */
  isPlanned: boolean;
  /**
   * Nothing can be answered without the part: until it is back answers fail, and those that began are cut,
   * visibly. Default false.
   */
  takesAll?: boolean;
  /** Resolves when the part is back, with a sentence for each thing that is not as it should be. */
  play: () => Promise<string[]>;
}

/** What can be struck. */
export interface Site {
  cluster: NatsCluster;
  stack: Stack;
  /** Stands before the edges. */
  balancer: Balancer;
  pair: PostgresPair;
  /** Null: it cannot be had here, so services reach the pair itself. */
  pooler: PgBouncer | null;
  valkey: ValkeyPair;
}

export const strikeKinds = [
  'roll',
  'kill',
  'freeze',
  'valkey',
  'services',
  'takeover',
  'standby',
  'pooler',
  'quorum',
  'store',
] as const;

/** How long a node that was killed, or left, stays away. */
const awayMs = 3_000;
/** For so long there are too few nodes. */
const quorumAwayMs = 15_000;
/** So long usage gathers in a store that is lost then. */
const gatherMs = 3_000;

/** Each kind of strike on each part in turn. @throws Error for an unknown kind. */
export function strikesOn(site: Site, kinds: readonly string[], freezeS: readonly number[], say: Say): Strike[] {
  return kinds.flatMap((kind) => {
    if (kind === 'services') return rolledServices(site);
    if (kind === 'takeover') return takeovers(site.pair, freezeS, say);
    if (kind === 'standby') return standbyHangs(site.pair, freezeS, say);
    if (kind === 'valkey') return valkeyStrikes(site.valkey, freezeS);
    if (kind === 'store') return [lostStore(site)];
    if (kind === 'quorum') return [lostQuorum(site.cluster)];
    if (kind === 'pooler') return site.pooler ? poolerStrikes(site.pooler, site.stack, site.pair, freezeS) : [];
    return nodes(site.cluster, kind, freezeS);
  });
}

function nodes({ servers }: NatsCluster, kind: string, freezeS: readonly number[]): Strike[] {
  return servers.flatMap((server, index): Strike[] => {
    const name = `nats-${index + 1}`;
    if (kind === 'roll') return [{ name: `roll ${name}`, isPlanned: true, play: () => comeBack(server.leave()) }];
    if (kind === 'kill') return [{ name: `kill ${name}`, isPlanned: false, play: () => comeBack(server.kill()) }];
    if (kind !== 'freeze')
      throw new Error(`There is no strike ${kind}; there are ${[...strikeKinds, 'cut', 'grow'].join(', ')}.`);
    return freezeS.map((seconds) => ({
      name: `freeze ${name} ${seconds} s`,
      isPlanned: false,
      play: async () => {
        await server.pause();
        await delay(seconds * 1_000).finally(() => server.resume());
        return [];
      },
    }));

    async function comeBack(gone: Promise<void>): Promise<string[]> {
      await gone;
      await delay(awayMs);
      await server.start();
      return [];
    }
  });
}

/**
 * Edges share their limits over NATS while Valkey is away, and fill it when it comes back empty, or another
 * server is in its place. Callers notice nothing.
 */
function valkeyStrikes(pair: ValkeyPair, freezeS: readonly number[]): Strike[] {
  const strikes: Record<string, () => Promise<unknown>> = {
    'kill valkey': () => restart.play(pair, 0),
    ...Object.fromEntries(
      freezeS.map((seconds) => {
        const freeze = async () => {
          const { primary } = pair;
          await primary.pause();
          await delay(seconds * 1_000).finally(() => primary.resume());
        };
        return [`freeze valkey ${seconds} s`, freeze];
      }),
    ),
    'valkey, takeover': () => takeover.play(pair, 0),
    'valkey, places changed': () => takeover.play(pair, 1),
  };
  return Object.entries(strikes).map(([name, play]) => ({
    ...{ name, isPlanned: true },
    play: async () => {
      await play();
      return [];
    },
  }));
}

/**
 * All nodes but one die: JetStream stores nothing without the most of them, and requests go on all the same.
 */
function lostQuorum({ servers: [, ...others] }: NatsCluster): Strike {
  const play = async () => {
    await Promise.all(others.map((server) => server.kill()));
    await delay(quorumAwayMs);
    await Promise.all(others.map((server) => server.start()));
    return [];
  };
  return { name: 'two of three away', isPlanned: false, play };
}

/**
 * All servers die at once, and come back with empty disks, while usage waits there that metering has not
 * taken: whoever sent it still holds it, and sends it again.
 */
function lostStore({ cluster: { servers }, stack }: Site): Strike {
  const metering = [...stack.processes.values()].filter(({ name }) => name.startsWith('metering'));
  const play = async () => {
    for (const one of metering) one.kill('SIGSTOP');
    try {
      await delay(gatherMs);
      await Promise.all(servers.map((server) => server.kill()));
      await Promise.all(servers.map(({ folder }) => rm(join(folder, 'jetstream'), { recursive: true })));
      await Promise.all(servers.map((server) => server.start()));
    } finally {
      for (const one of metering) one.kill('SIGCONT');
    }
    return [];
  };
  return { name: 'lost store', isPlanned: false, takesAll: true, play };
}

/**
 * Every instance of every service ends by SIGTERM and starts again, as in an upgrade, behind a load balancer
 * that looks at /readyz.
 */
function rolledServices({ stack, balancer }: Site): Strike[] {
  const names = [...stack.processes.keys()].filter((name) => !['sandbox', 'nats', 'postgres'].includes(name));
  return names.map((name) => ({
    name: `roll ${name}`,
    isPlanned: true,
    play: async () => {
      balancer.start();
      await stack
        .process(name)
        .restart()
        .finally(() => balancer.stop());
      return [];
    },
  }));
}

/**
 * Each node is cut off from all others and from its clients, though it runs and its connections stay, as by a
 * network that fails.
 */
export function cutOffs(cluster: LinkedNatsCluster, seconds: readonly number[]): Strike[] {
  return cluster.servers.flatMap((_, index) =>
    seconds.map((length) => ({
      name: `cut off nats-${index + 1} ${length} s`,
      isPlanned: false,
      play: async () => {
        await cluster.cutOff(index);
        try {
          await delay(length * 1_000);
        } finally {
          await cluster.rejoin(index);
        }
        return [];
      },
    })),
  );
}
