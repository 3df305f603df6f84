import { createServer } from 'node:net';
import { once } from 'node:events';
import { freePort } from './free-port';

it('gives each port once, none that somebody listens on, and none that the system gives to others', async () => {
  const before = await freePort();
  const server = createServer().listen(before + 1, '127.0.0.1');
  // Or somebody else does.
  await once(server, 'listening').catch(() => undefined);
  const ports = await Promise.all(Array.from({ length: 30 }, () => freePort()));
  server.close();
  expect(new Set(ports).size).toBe(30);
  expect(ports).not.toContain(before + 1);
  expect(Math.max(...ports)).toBeLessThan(32_768);
});
