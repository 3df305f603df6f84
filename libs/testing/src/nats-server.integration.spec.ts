import { connect } from 'nats';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startNatsServer } from './nats-server';

describe('a nats-server for tests and development', () => {
  it('has JetStream, takes messages of 8 MiB, and writes a log when asked to', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'nats-server-spec-'));
    const logFile = join(folder, 'nats.log');
    const server = await startNatsServer({ folder, logFile });
    const connection = await connect({ servers: server.url });
    expect(connection.info).toMatchObject({ jetstream: true, max_payload: 8 * 1024 * 1024 });
    await connection.close();
    await server.stop();
    expect(await readFile(logFile, 'utf8')).toContain('Server is ready');
    await rm(folder, { recursive: true });
  });

  it('keeps its port and its store through a kill and a restart', async () => {
    const server = await startNatsServer();
    const { url, pid } = server;
    const before = await connect({ servers: url, reconnect: false });
    await (await before.jetstreamManager()).streams.add({ name: 'KEPT', subjects: ['kept'] });
    await before.jetstream().publish('kept', 'a message');
    await server.kill();
    await before.closed();
    await expect(connect({ servers: url, reconnect: false })).rejects.toThrow();
    await server.start();
    expect(server.url).toBe(url);
    expect(server.pid).not.toBe(pid);
    const after = await connect({ servers: url });
    const { state } = await (await after.jetstreamManager()).streams.info('KEPT');
    expect(state.messages).toBe(1);
    await after.close();
    await server.stop();
  });

  it('answers nothing while it is frozen, and everything after', async () => {
    const server = await startNatsServer();
    const connection = await connect({ servers: server.url });
    await server.pause();
    const answer = connection.flush();
    expect(await Promise.race([answer.then(() => 'answer'), sleep(300).then(() => 'silence')])).toBe('silence');
    server.resume();
    await answer;
    await connection.close();
    await server.stop();
  });

  it('says so when its port is taken, even by another nats-server', async () => {
    const first = await startNatsServer();
    await expect(startNatsServer({ port: first.port })).rejects.toThrow(`is port ${first.port} taken?`);
    await first.stop();
  });
});
