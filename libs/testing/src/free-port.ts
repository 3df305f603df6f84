import { createServer } from 'node:net';

/**
 * Below those that systems give to whoever asks for any port (from 32,768 on): what is chosen here is not
 * taken by a stranger's connection before a server listens there, nor while that is started again.
 */
const ports = { first: 20_000, count: 12_000 };
/** Of each process somewhere else, so that two do not choose the same at the same time. */
let next = Math.floor(Math.random() * ports.count);

/** A TCP port of the loopback interface that nothing listens on now; another one at each call. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < ports.count; tries++) {
    const port = ports.first + (next++ % ports.count);
    if (await isFree(port)) return port;
  }
  throw new Error('No port is free.');
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
