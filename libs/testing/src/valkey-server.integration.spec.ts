import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTcpProxy } from './tcp-proxy';
import { startValkey } from './valkey-server';

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
    await server.pause();
    const answer = ask(proxy.port, 'PING');
    const silence = new Promise<string>((resolve) => setTimeout(() => resolve('silence'), 300));
    expect(await Promise.race([answer, silence])).toBe('silence');
    server.resume();
    expect(await answer).toBe('+PONG\r\n');
    await proxy.close();
    await server.stop();
  });

  it('leaves no process behind when it does not answer in time', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tollgate-silent-'));
    const [program, pidFile] = [join(folder, 'silent-server'), join(folder, 'pid')];
    // `mv`: the file is there whole or not at all.
    const silent = `#!/bin/sh\necho $$ > ${pidFile}.new && mv ${pidFile}.new ${pidFile} && exec sleep 1000\n`;
    writeFileSync(program, silent, { mode: 0o700 });
    jest.replaceProperty(process, 'env', { ...process.env, VALKEY_SERVER_BIN: program });
    const now = Date.now;
    let laterMs = 0;
    jest.spyOn(Date, 'now').mockImplementation(() => now() + (existsSync(pidFile) ? (laterMs += 61_000) : 0));
    await expect(startValkey()).rejects.toThrow('within 60 s');
    expect(() => process.kill(Number(readFileSync(pidFile, 'utf8')), 0)).toThrow('ESRCH');
    jest.restoreAllMocks();
    rmSync(folder, { recursive: true });
  });
});
