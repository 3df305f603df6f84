import type { Attack } from '../attack';

const burnMs = 20;

/**
 * None at all: what the attacker's own process takes of the machine is not what the gateway lets through.
 * Where the victim notices this one, times beside the others say nothing of the gateway.
 */
export const controls: readonly Attack[] = [
  {
    name: 'control: a core that is burned past the gateway',
    atOnce: 1,
    perSecond: 1 / 60,
    act: async (_attacker, _number, end) => {
      while (!end.aborted) {
        for (const until = performance.now() + burnMs; performance.now() < until;);
        await new Promise((resolve) => setImmediate(resolve));
      }
      return 'burned';
    },
  },
];
