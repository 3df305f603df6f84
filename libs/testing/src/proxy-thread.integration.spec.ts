import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import { startProxyThread } from './proxy-thread';
import type { ProxyThread } from './proxy-thread';

/** A server that gives back what it hears, and a client that goes to the port that it is told. */
const bothEnds = `
  const { connect, createServer } = require('node:net');
  const { parentPort, workerData: heard } = require('node:worker_threads');
  const server = createServer((peer) => peer.pipe(peer));
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
  parentPort.once('message', (port) => {
    connect(port, '127.0.0.1').once('data', () => {
      Atomics.store(heard, 0, 1);
      Atomics.notify(heard, 0);
    }).write('hello');
  });`;
/** By far more than it takes on any machine: only where nothing passes is it waited for. */
const givenUpMs = 60_000;

describe('a proxy on a thread of its own', () => {
  it('lets bytes pass while the process that started it stands still', async () => {
    const heard = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    const others = new Worker(bothEnds, { eval: true, workerData: heard });
    const [target] = (await once(others, 'message')) as [number];
    const proxy = await startProxyThread(target);
    try {
      others.postMessage(proxy.port);
      expect(Atomics.wait(heard, 0, 0, givenUpMs)).not.toBe('timed-out');
    } finally {
      await proxy.close();
      await others.terminate();
    }
  });

  describe('that is told something', () => {
    let servers: [Server, Server];
    let proxy: ProxyThread;
    const sockets: Socket[] = [];
    const heard: string[] = [];

    beforeEach(async () => {
      heard.length = 0;
      servers = [await serverThatSays('first', heard), await serverThatSays('second', heard)];
      proxy = await startProxyThread(portOf(servers[0]));
    });
    afterEach(async () => {
      for (const socket of sockets.splice(0)) socket.destroy();
      await proxy.close();
      for (const server of servers) server.close();
    });

    const reached = async (): Promise<[Socket, string]> => {
      const socket = connect(proxy.port, '127.0.0.1').on('error', () => undefined);
      sockets.push(socket);
      return [socket, await told(socket)];
    };

    it('leads new connections elsewhere and leaves those that stand, or breaks them', async () => {
      const [former, first] = await reached();
      await proxy.aimNew(portOf(servers[1]));
      const [, second] = await reached();
      former.write('and you?');
      expect([first, second, await told(former)]).toEqual(['first', 'second', 'first']);
      await proxy.aim(portOf(servers[1]));
      expect(await ended(former)).toBe(true);
    });

    it('lets nothing pass while it is frozen, and what comes after', async () => {
      const [former] = await reached();
      await proxy.freeze();
      former.write('lost');
      await proxy.aim(portOf(servers[1]));
      await ended(former);
      await proxy.resume();
      expect([(await reached())[1], heard]).toEqual(['second', []]);
    });

    it('breaks what stands and refuses what comes while it is cut, and lets slow bytes pass', async () => {
      const [former] = await reached();
      await proxy.cut();
      expect(await ended(former)).toBe(true);
      const refused = connect(proxy.port, '127.0.0.1').on('error', () => undefined);
      sockets.push(refused);
      expect(await ended(refused)).toBe(true);
      await proxy.resume();
      await proxy.slow(1);
      expect((await reached())[1]).toBe('first');
    });

    it('says so where it is over, before it was told or since', async () => {
      const before = expect(proxy.freeze().then(() => proxy.resume())).rejects.toThrow('is over');
      await proxy.close();
      await before;
      await expect(proxy.freeze()).rejects.toThrow('is over');
    });
  });
});

/** It says its name to whoever comes, and with whatever it hears. */
async function serverThatSays(name: string, heard: string[]): Promise<Server> {
  const server = createServer((peer) => {
    peer.on('error', () => undefined);
    peer.on('data', (chunk) => {
      heard.push(String(chunk));
      peer.write(name);
    });
    peer.write(name);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

async function told(socket: Socket): Promise<string> {
  return String((await once(socket, 'data'))[0]);
}

async function ended(socket: Socket): Promise<boolean> {
  // What a broken connection says of it (`error`) comes before `close`, and would end `once` of node:events.
  if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve));
  return true;
}
