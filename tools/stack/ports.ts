import { createServer } from 'node:net';

/**
 * Below the range that systems take the local ends of outgoing connections from, so that a service finds its
 * port free again after a restart.
 */
const range = { first: 20_000, count: 12_000 };

/** True when nothing listens on this port of the loopback address. */
export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}

/** Hands out free ports, none twice. */
export class PortAllocator {
  private readonly taken = new Set<number>();

  async next(): Promise<number> {
    for (let tries = 0; tries < 100; tries++) {
      const port = range.first + Math.floor(Math.random() * range.count);
      if (this.taken.has(port) || !(await isFree(port))) continue;
      this.taken.add(port);
      return port;
    }
    throw new Error('No free port was found between 20000 and 32000. Is another program using them all?');
  }
}
