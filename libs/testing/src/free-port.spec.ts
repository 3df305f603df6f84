import { createServer } from 'node:net';
import type { Server } from 'node:net';
import { once } from 'node:events';
import { freePort } from './free-port';

it('gives each port once, none that somebody listens on, and none that the system gives to others', async () => {
  const { server, taken } = await listening();
  const ports = await Promise.all(Array.from({ length: 30 }, () => freePort()));
  server.close();
  expect(new Set(ports).size).toBe(30);
  expect(ports).not.toContain(taken);
  expect(Math.max(...ports)).toBeLessThan(32_768);
});

describe('of a run of Jest', () => {
  const before = { ...process.env };
  afterEach(() => void (process.env = before));

  it('each worker chooses where no other one does, nor one of a run of another kind at the same time', async () => {
    const workers = ['unit', 'integration', 'e2e', 'servers', 'proof'].flatMap((kind) =>
      ['1', '2', '3', '4', '5', '6', '7', '8'].map((worker) => ({ TEST_KIND: kind, JEST_WORKER_ID: worker })),
    );
    const parts = new Set<string | undefined>();
    for (const worker of workers) {
      delete process.env.JEST_PORTS_PART;
      Object.assign(process.env, worker);
      await jest.isolateModulesAsync(async () => void (await import('./free-port')));
      parts.add(process.env.JEST_PORTS_PART);
    }
    expect(parts.size).toBe(workers.length);
  });
});

/** A server on the port that would be chosen next, and that port. */
async function listening(): Promise<{ server: Server; taken: number }> {
  for (;;) {
    const taken = (await freePort()) + 1;
    const server = createServer().listen(taken, '127.0.0.1');
    // Somebody else may listen there.
    const isOurs = await once(server, 'listening').then(Boolean, () => false);
    if (isOurs) return { server, taken };
  }
}
