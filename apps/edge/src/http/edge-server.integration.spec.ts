import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Worker } from 'node:worker_threads';
import { EdgeServer } from './edge-server';

/** Connects in a thread of its own, tells that it is connected, and then the answer or the error. */
const caller = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { connected, port } = workerData;
  const socket = require('node:net').connect(port, '127.0.0.1');
  socket.on('connect', () => {
    socket.write('GET / HTTP/1.1\\r\\nhost: a\\r\\nconnection: close\\r\\n\\r\\n');
    Atomics.store(connected, 0, 1);
    Atomics.notify(connected, 0);
  });
  let text = '';
  socket.on('data', (bytes) => (text += bytes));
  socket.on('error', ({ code }) => parentPort.postMessage(code));
  socket.on('end', () => parentPort.postMessage(text.split('\\r\\n')[0]));`;

it('answers who connected while the event loop was late, just before it takes no new connections', async () => {
  const server = createServer((_request, response) => response.end('answer'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const host = { httpAdapter: { getHttpServer: () => server } };
  const edge = new EdgeServer(host as never, { maxConnections: 10 } as never);
  edge.onModuleInit();
  const connected = new Int32Array(new SharedArrayBuffer(4));
  const { port } = server.address() as AddressInfo;
  const thread = new Worker(caller, { eval: true, workerData: { connected, port } });
  const heard = once(thread, 'message');
  await once(thread, 'online');
  // Nothing is accepted here before the caller is connected.
  expect(Atomics.wait(connected, 0, 0, 10_000)).not.toBe('timed-out');
  await edge.drain(() => false, 5_000);
  expect(await heard).toEqual(['HTTP/1.1 200 OK']);
  await thread.terminate();
});
