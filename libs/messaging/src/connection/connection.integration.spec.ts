import { eventually, patience, startNatsServer, startTcpProxy } from '@tollgate/testing';
import type { NatsServer } from '@tollgate/testing';
import { DebugEvents, Events } from 'nats';
import type { NatsConnection } from 'nats';
import { NatsConnectionImpl } from 'nats/lib/nats-base-client/internal_mod';
import { pino } from 'pino';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectToNats, connectionOptions } from './connect-to-nats';
import { Link } from './link';
import { natsAddress } from './nats-address';
import { connect } from './single-transport';

const logger = pino({ level: 'silent' });

describe('a connection to NATS', () => {
  let nats: NatsServer;
  let guarded: NatsServer;

  beforeAll(async () => {
    guarded = await startNatsServer({ extraConfig: 'authorization { token: t, timeout: 0.3 }' });
  });
  afterAll(() => guarded.stop());
  beforeEach(async () => {
    nats = await startNatsServer();
  });
  afterEach(() => nats.stop());

  it('waits for a server that is not there yet', async () => {
    await nats.kill();
    const connecting = connectToNats({ url: nats.url, name: 'early', logger });
    await sleep(300);
    await nats.start();
    const connection = await connecting;
    await connection.flush();
    await connection.close();
  });

  it('ends its wait for a server when it is told to, and leaves no connection that was just made', async () => {
    const proxy = await startTcpProxy(nats.port);
    const stop = new AbortController();
    const options = { url: `nats://127.0.0.1:${proxy.port}`, name: 'late', logger, signal: stop.signal };
    proxy.cut();
    const waiting = connectToNats(options);
    await sleep(300);
    stop.abort();
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
    proxy.resume();
    await expect(connectToNats(options)).rejects.toMatchObject({ name: 'AbortError' });
    await eventually(() => proxy.links === 0);
    await proxy.close();
  });

  it('sends what is large as it is, and gives the memory of it back once the system has it', async () => {
    const connection = await connectToNats({ url: nats.url, name: 'large', logger });
    if (!(connection instanceof NatsConnectionImpl)) throw new Error('another client');
    const { transport } = connection.protocol;
    const sent: { frame: Uint8Array; bytes: number }[] = [];
    const send = transport.send.bind(transport);
    transport.send = (frame) => {
      sent.push({ frame, bytes: frame.length });
      send(frame);
    };
    const heard: Buffer[] = [];
    connection.subscribe('large', { callback: (_error, { data }) => void heard.push(Buffer.from(data)) });
    const payloads = ['a', 'b', 'c'].map((letter) => Buffer.alloc(1_000_000, letter));
    for (const payload of payloads) connection.publish('large', payload);
    await eventually(() => heard.length === payloads.length);
    expect(heard.map((data, at) => payloads[at]?.equals(data))).toEqual([true, true, true]);
    expect(sent.reduce((sum, { bytes }) => sum + bytes, 0)).toBeGreaterThan(3_000_000);
    expect(sent.filter(({ bytes, frame }) => bytes > 10_000 && frame.length > 0)).toEqual([]);
    expect(payloads.map(({ length }) => length)).toEqual(payloads.map(() => 1_000_000));
    await connection.close();
  });

  it('tells when it is lost and when it is back, and is back within five seconds of the server', async () => {
    const connection = await connectToNats({ url: nats.url, name: 'link', logger });
    const told: string[] = [];
    const link = new Link(connection, { lost: () => told.push('lost'), restored: () => told.push('restored') });
    await nats.kill();
    while (link.isUp) await sleep(10);
    await nats.start();
    const backAt = performance.now();
    while (!link.isUp) await sleep(10);
    expect(performance.now() - backAt).toBeLessThan(5_000 * patience);
    expect(told).toEqual(['lost', 'restored']);
    await connection.close();
    await sleep(10);
    expect(link.isUp).toBe(false);
  });

  it('is left for a new one when its peer vanished in the middle of much that was to be written', async () => {
    const proxy = await startTcpProxy(nats.port);
    const options = connectionOptions({ url: `nats://127.0.0.1:${proxy.port}` }, 'stale');
    const connection = await connect({ ...options, pingInterval: 200 });
    const link = new Link(connection, { lost: () => undefined, restored: () => undefined });
    proxy.freeze();
    for (let i = 0; i < 300; i++) connection.publish('nobody', Buffer.alloc(100_000));
    while (link.isUp) await sleep(20);
    proxy.resume();
    while (!link.isUp) await sleep(20);
    await connection.flush();
    await connection.close();
    await proxy.close();
  });

  it('stays one connection when the server was silent for longer than several dials and then greets all of them', async () => {
    const options = {
      ...connectionOptions({ url: guarded.url.replace('//', '//t@') }, 'silent'),
      timeout: 300,
      pingInterval: 100,
      // The first dial may take longer on a busy machine.
      waitOnFirstConnect: true,
    };
    const connection = await connect(options);
    const heard: string[] = [];
    connection.subscribe('count', { callback: (_, message) => heard.push(message.string()) });
    await connection.flush();
    await guarded.pause();
    const dials = connection.status()[Symbol.asyncIterator]();
    for (let given = 0; given < 3;) if ((await dials.next()).value?.type === DebugEvents.Reconnecting) given++;
    guarded.resume();
    while ((await dials.next()).value?.type !== Events.Reconnect);
    // Until the server has closed the dials that said nothing (`timeout` of its authorization) each number
    // comes once.
    const sent = Array.from({ length: 20 }, (_, number) => String(number));
    for (const number of sent) {
      connection.publish('count', number);
      await sleep(50);
    }
    await connection.flush();
    expect(heard).toEqual(sent);
    await connection.close();
  });

  it('comes back with the new password that its file holds once the server asks for that', async () => {
    const server = await startNatsServer({ extraConfig: 'authorization { user: edge, password: former }' });
    const passwordFile = join(server.folder, 'nats-edge');
    writeFileSync(passwordFile, 'former\n');
    const variables = { NATS_USER: 'edge', NATS_PASSWORD: 'former', NATS_PASSWORD_FILE: passwordFile };
    const address = natsAddress({ NATS_URL: server.url, ...variables });
    const connection = await connectToNats({ ...address, name: 'rotated', logger });
    const back = once(connection, Events.Reconnect);
    writeFileSync(passwordFile, 'new\n');
    const config = join(server.folder, 'nats-server.conf');
    writeFileSync(config, readFileSync(config, 'utf8').replace('former', 'new'));
    process.kill(server.pid, 'SIGHUP');
    await back;
    await connection.flush();
    await connection.close();
    await server.stop();
  });
});

async function once(connection: NatsConnection, type: Events): Promise<void> {
  for await (const status of connection.status()) if (status.type === type) return;
}
