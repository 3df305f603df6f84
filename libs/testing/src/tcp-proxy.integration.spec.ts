import { connect, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { once } from 'node:events';
import { startTcpProxy } from './tcp-proxy';
import type { TcpProxy } from './tcp-proxy';

describe('a proxy that disturbs one link', () => {
  let echo: Server;
  let proxy: TcpProxy;
  let socket: Socket;

  beforeEach(async () => {
    echo = createServer((peer) => {
      peer.on('error', () => undefined);
      peer.pipe(peer);
    }).listen(0, '127.0.0.1');
    await once(echo, 'listening');
    proxy = await startTcpProxy((echo.address() as AddressInfo).port);
    socket = connect(proxy.port, '127.0.0.1');
    await once(socket, 'connect');
  });
  afterEach(async () => {
    socket.destroy();
    await proxy.close();
    echo.close();
  });

  const answer = async (text: string): Promise<string> => {
    socket.write(text);
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    return chunk.toString();
  };

  it('forwards in both directions', async () => {
    expect(await answer('hello')).toBe('hello');
  });

  it('passes nothing while frozen, and then all of it', async () => {
    await answer('hello');
    proxy.freeze();
    let passed = false;
    const late = answer('held').then((text) => {
      passed = true;
      return text;
    });
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(passed).toBe(false);
    proxy.resume();
    expect(await late).toBe('held');
  });

  it('delays every byte while slow, and keeps their order when it is quick again', async () => {
    await answer('hello');
    proxy.slow(60);
    const startedAt = performance.now();
    expect(await answer('late')).toBe('late');
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(115);
    socket.write('first ');
    await new Promise((resolve) => setTimeout(resolve, 20));
    proxy.resume();
    socket.write('second');
    let text = '';
    for await (const chunk of socket) {
      text += String(chunk);
      if (text.length === 'first second'.length) break;
    }
    expect(text).toBe('first second');
  });

  it('breaks connections when cut, refuses new ones, and takes them again after', async () => {
    await answer('hello');
    socket.on('error', () => undefined);
    proxy.cut();
    await closed(socket);
    const refused = connect(proxy.port, '127.0.0.1');
    refused.on('error', () => undefined);
    await closed(refused);
    proxy.resume();
    socket = connect(proxy.port, '127.0.0.1');
    await once(socket, 'connect');
    expect(await answer('again')).toBe('again');
  });
});

/** Resolves when the connection is closed, by whatever cause. */
function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once('close', () => resolve()));
}
