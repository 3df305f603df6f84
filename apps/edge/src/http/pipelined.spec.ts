import { EventEmitter, once } from 'node:events';
import { createServer, IncomingMessage } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect, Socket } from 'node:net';
import { leavingTurns } from '../generation/in-turns';
import { mostPipelined, oneAtATime } from './pipelined';

const head = (path: string) => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`;

/** Requests that Node ended, of all servers here. */
let ended = 0;

class Counted extends IncomingMessage {
  override destroy(error?: Error): this {
    ended += 1;
    return super.destroy(error);
  }
}

/** Takes dozens of turns of the event loop, so that who leaves now waits. */
function manyLeave(): void {
  for (let count = 0; count < 1_000; count++) leavingTurns.soon(() => undefined, 16);
}

/** A server that keeps each request until it is told to answer, and a connection to it. */
async function pipeline() {
  const begun: { readonly path: string | undefined; readonly response: ServerResponse }[] = [];
  const server = createServer(
    { IncomingMessage: Counted },
    (request, response) => void begun.push({ path: request.url, response }),
  );
  oneAtATime(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const close = () => {
    socket.destroy();
    server.closeAllConnections();
    server.close();
  };
  return { begun, server, socket, close };
}

it('begins a request when the one before it on its connection was answered', async () => {
  const { begun, server, socket, close } = await pipeline();
  socket.write(head('/1') + head('/2') + head('/3'));
  for (let number = 1; number <= 3; number++) {
    while (begun.length < number) await new Promise((resolve) => setImmediate(resolve));
    expect(begun.map(({ path }) => path)).toEqual(['/1', '/2', '/3'].slice(0, number));
    begun[number - 1]?.response.end(`answer ${number}`);
    const [bytes] = (await once(socket, 'data')) as [Buffer];
    expect(bytes.toString()).toContain(`answer ${number}`);
  }
  // A later one finds nobody before it.
  socket.write(head('/4'));
  await once(server, 'request');
  expect(begun.at(-1)?.path).toBe('/4');
  close();
});

it('begins nothing more for who has left', async () => {
  const { begun, server, socket, close } = await pipeline();
  socket.write(head('/1') + head('/2'));
  await once(server, 'request');
  const [first] = begun;
  const closed = first && once(first.response, 'close');
  socket.destroy();
  await closed;
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect(begun.map(({ path }) => path)).toEqual(['/1']);
  close();
});

it('cuts off who sends very many that wait', async () => {
  const { begun, socket, close } = await pipeline();
  socket.on('error', () => undefined);
  socket.write(head('/').repeat(mostPipelined + 2));
  await once(socket, 'close');
  expect(begun).toHaveLength(1);
  close();
});

it('begins a few in a turn of those that come, or have waited, on many connections', async () => {
  const server = createServer();
  const begun: EventEmitter[] = [];
  server.on('request', (_request, response) => void begun.push(response));
  oneAtATime(server);
  for (let connection = 0; connection < 100; connection++) {
    const socket = { writable: true, destroy: () => undefined };
    for (let number = 0; number < 2; number++) server.emit('request', { socket }, new EventEmitter());
  }
  expect(begun).toHaveLength(16);
  const begunByTurns = async (all: number): Promise<number[]> => {
    const perTurn: number[] = [];
    for (let before = begun.length; before < all; before = begun.length) {
      await new Promise((resolve) => setImmediate(resolve));
      perTurn.push(begun.length - before);
    }
    return perTurn;
  };
  expect(Math.max(...(await begunByTurns(100)))).toBeLessThanOrEqual(16);
  expect(begun).toHaveLength(100);
  for (const response of begun.slice()) response.emit('close');
  expect(Math.max(...(await begunByTurns(200)))).toBeLessThanOrEqual(16);
});

it('ends some in a turn of those that waited where many connections are reset together', async () => {
  const [connections, each] = [40, 50];
  const { server, begun, socket, close } = await pipeline();
  const { port } = server.address() as AddressInfo;
  const sockets = Array.from({ length: connections }, () => connect(port, '127.0.0.1'));
  for (const one of sockets) {
    one.on('error', () => undefined);
    one.write(head('/').repeat(each));
  }
  while (begun.length < connections) await new Promise((resolve) => setImmediate(resolve));
  ended = 0;
  for (const one of sockets) one.resetAndDestroy();
  const perTurn: number[] = [];
  for (let before = 0; before < connections * each; before = ended) {
    await new Promise((resolve) => setImmediate(resolve));
    perTurn.push(ended - before);
  }
  // Three connections as they are heard of, and three more behind that.
  expect(Math.max(...perTurn)).toBeLessThanOrEqual(6 * each);
  socket.destroy();
  close();
});

it('reads and begins nothing on a connection that waits for its turn to close', async () => {
  const { begun, server, socket, close } = await pipeline();
  socket.on('error', () => undefined);
  socket.write(head('/1'));
  await once(server, 'request');
  const [first] = begun;
  const ours = first?.response.socket;
  first?.response.end();
  await once(socket, 'data');
  manyLeave();
  ours?.destroy();
  expect(ours?.destroyed).toBe(false);
  socket.write(head('/2'));
  await new Promise((resolve) => socket.once('close', resolve));
  expect(begun.map(({ path }) => path)).toEqual(['/1']);
  close();
});

it('begins no first request that waited while its connection was closed', async () => {
  const server = createServer();
  const begun: unknown[] = [];
  server.on('request', (_request, response) => void begun.push(response));
  oneAtATime(server);
  const sockets = Array.from({ length: 20 }, () => new Socket());
  for (const socket of sockets) {
    server.emit('connection', socket);
    server.emit('request', { socket }, new EventEmitter());
  }
  manyLeave();
  for (const socket of sockets) socket.destroy();
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect(begun).toHaveLength(16);
});

it('closes a connection that it was handed twice, as one is that asked for an upgrade in vain', async () => {
  const server = createServer();
  oneAtATime(server);
  const socket = new Socket();
  for (let count = 0; count < 2; count++) server.emit('connection', socket);
  socket.destroy();
  await once(socket, 'close');
  expect(socket.destroyed).toBe(true);
});
