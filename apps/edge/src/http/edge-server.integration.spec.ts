import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Worker } from 'node:worker_threads';
import { EdgeServer } from './edge-server';

/** As many as connect in one late turn of a loop. */
const callers = 12;

/** They connect in a thread of their own, tell that they are connected, and then the answers or errors. */
const calling = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { callers, connected, port } = workerData;
  const call = () => new Promise((heard) => {
    const socket = require('node:net').connect(port, '127.0.0.1');
    socket.on('connect', () => {
      socket.write('GET / HTTP/1.1\\r\\nhost: a\\r\\nconnection: close\\r\\n\\r\\n');
      Atomics.add(connected, 0, 1);
      Atomics.notify(connected, 0);
    });
    let text = '';
    socket.on('data', (bytes) => (text += bytes));
    socket.on('error', ({ code }) => heard(code));
    socket.on('end', () => heard(text.split('\\r\\n')[0]));
  });
  Promise.all(Array.from({ length: callers }, call)).then((answers) => parentPort.postMessage(answers));`;

it('answers all who connected while the event loop was late, just before it takes no new connections', async () => {
  const server = createServer((_request, response) => response.end('answer'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const host = { httpAdapter: { getHttpServer: () => server } };
  const edge = new EdgeServer(host as never, { maxConnections: 100 } as never);
  edge.onModuleInit();
  const connected = new Int32Array(new SharedArrayBuffer(4));
  const { port } = server.address() as AddressInfo;
  const thread = new Worker(calling, { eval: true, workerData: { callers, connected, port } });
  const heard = once(thread, 'message');
  await once(thread, 'online');
  // Nothing is accepted here before the callers are connected.
  for (let seen = 0; seen < callers; seen = Atomics.load(connected, 0))
    expect(Atomics.wait(connected, 0, seen, 10_000)).not.toBe('timed-out');
  await edge.drain(() => false, 5_000);
  expect(await heard).toEqual([Array.from({ length: callers }, () => 'HTTP/1.1 200 OK')]);
  await thread.terminate();
});
