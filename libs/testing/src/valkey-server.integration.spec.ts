import { startTcpProxy } from './tcp-proxy';
import { startValkey } from './valkey-server';
import { connect } from 'node:net';

/** Sends one command in its inline form and returns the beginning of the answer. */
function ask(port: number, command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' }, () => socket.write(`${command}\r\n`));
    socket.once('data', (chunk) => {
      socket.destroy();
      resolve(chunk.toString());
    });
    socket.once('error', reject);
  });
}

describe('a valkey-server for tests', () => {
  it('answers, asks for its password, and starts empty on the same port after a kill', async () => {
    const server = await startValkey({ password: 'a secret' });
    expect(await ask(server.port, 'PING')).toMatch(/^-NOAUTH/);
    expect(server.url).toBe(`valkey://:a%20secret@127.0.0.1:${server.port}`);
    await server.kill();
    await expect(ask(server.port, 'PING')).rejects.toThrow('ECONNREFUSED');
    await server.start();
    expect(await ask(server.port, 'PING')).toMatch(/^-NOAUTH/);
    await server.stop();
  });

  it('answers nothing while it is frozen, and everything after', async () => {
    const server = await startValkey();
    const proxy = await startTcpProxy(server.port);
    server.pause();
    const silence = () => new Promise<string>((resolve) => setTimeout(() => resolve('silence'), 300));
    // A process that is told to stop runs on until the machine gets round to it.
    let answer = ask(proxy.port, 'PING');
    while ((await Promise.race([answer, silence()])) !== 'silence') answer = ask(proxy.port, 'PING');
    server.resume();
    expect(await answer).toBe('+PONG\r\n');
    await proxy.close();
    await server.stop();
  });
});
