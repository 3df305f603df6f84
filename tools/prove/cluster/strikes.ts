import type { NatsCluster } from '@tollgate/testing';
import { setTimeout as delay } from 'node:timers/promises';

/** What befalls one node. `play` resolves when the node is back. */
export interface Strike {
  name: string;
  /** An operator did it: then not one request may notice. */
  isPlanned: boolean;
  play: () => Promise<void>;
}

/** How long a node that was killed, or left, stays away. */
const awayMs = 3_000;

/** Each kind of strike on each node in turn. @throws Error for an unknown kind. */
export function strikesOn({ servers }: NatsCluster, kinds: readonly string[], freezeS: readonly number[]): Strike[] {
  return kinds.flatMap((kind) =>
    servers.flatMap((server, index): Strike[] => {
      const name = `nats-${index + 1}`;
      if (kind === 'roll') return [{ name: `roll ${name}`, isPlanned: true, play: () => comeBack(server.leave()) }];
      if (kind === 'kill') return [{ name: `kill ${name}`, isPlanned: false, play: () => comeBack(server.kill()) }];
      if (kind !== 'freeze') throw new Error(`There is no strike ${kind}; there are roll, kill and freeze.`);
      return freezeS.map((seconds) => ({
        name: `freeze ${name} ${seconds} s`,
        isPlanned: false,
        play: async () => {
          server.pause();
          await delay(seconds * 1_000).finally(() => server.resume());
        },
      }));

      async function comeBack(gone: Promise<void>): Promise<void> {
        await gone;
        await delay(awayMs);
        await server.start();
      }
    }),
  );
}
