import { createServer } from 'node:net';

/**
 * Below those that systems give to whoever asks for any port (from 32,768 on): what is chosen here is not
 * taken by a stranger's connection before a server listens there, nor while that is started again.
 */
const ports = { first: 20_000, count: 12_000 };
/**
 * Parts of the range, of which each worker of a run of Jest has one: nobody listens on a port in the seconds
 * between its choice and the start of its server, nor while that is killed, and the other workers must not
 * choose it then. Runs of several kinds of tests go on at the same time.
 */
const kinds = ['unit', 'integration', 'e2e', 'servers', 'proof'];
const partsOfKind = 8;
const parts = kinds.length * partsOfKind;
const { JEST_WORKER_ID: worker, TEST_KIND: kind = 'unit' } = process.env;
// Workers of one run have one parent, and follow each other. What they start chooses where they do.
if (worker !== undefined)
  process.env['JEST_PORTS_PART'] ??= String(
    Math.max(0, kinds.indexOf(kind)) * partsOfKind + ((process.ppid + Number(worker)) % partsOfKind),
  );
const part = process.env['JEST_PORTS_PART'];
/** Where this process chooses. */
const own =
  part === undefined
    ? ports
    : { first: ports.first + Number(part) * (ports.count / parts), count: ports.count / parts };
/** Of each process somewhere else, so that two do not choose the same at the same time. */
let next = Math.floor(Math.random() * own.count);

/**
 * A TCP port of the loopback interface that nothing listens on now, and none of `except`; another one at each
 * call.
 * @throws Error when there is none.
 */
export async function freePort(except: readonly number[] = []): Promise<number> {
  for (let tries = 0; tries < own.count; tries++) {
    const port = own.first + (next++ % own.count);
    if (!except.includes(port) && (await isFree(port))) return port;
  }
  throw new Error(`No port from ${own.first} on is free. Is another program using them all?`);
}

/** True when nothing listens on this port of the loopback interface. */
export function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
