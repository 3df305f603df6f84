import { Counter, Registry } from 'prom-client';
import { InternalServer, missingParts } from './internal-server';
import type { ReadinessCheck } from './internal-server';
import { version } from './version';

let server: InternalServer | undefined;

/** Starts a server on a free port and returns its base address. Loopback only. */
async function start(checks: Record<string, ReadinessCheck> = {}, registry = new Registry()): Promise<string> {
  server = new InternalServer(registry, checks);
  return `http://127.0.0.1:${await server.listen(0, '127.0.0.1')}`;
}

afterEach(async () => {
  await server?.close();
  server = undefined;
});

describe('the internal server', () => {
  it('is alive even when nothing it needs is there', async () => {
    const base = await start({ nats: () => false });
    const answer = await fetch(`${base}/livez`);
    expect([answer.status, await answer.json()]).toEqual([200, { status: 'ok' }]);
  });

  it('keeps a connection longer than those who ask every few seconds leave it idle', async () => {
    const answer = await fetch(`${await start()}/livez`);
    expect(answer.headers.get('keep-alive')).toBe('timeout=75');
  });

  it('is ready only while every check holds, and names what is missing', async () => {
    let nats = false;
    const base = await start({ nats: () => nats, postgres: () => Promise.resolve(true) });
    const before = await fetch(`${base}/readyz`);
    expect([before.status, await before.json()]).toEqual([503, { status: 'unavailable', missing: ['nats'], version }]);
    nats = true;
    const after = await fetch(`${base}/readyz`);
    expect([after.status, await after.json()]).toEqual([200, { status: 'ok', version }]);
  });

  it('shows the metrics in the form that Prometheus reads', async () => {
    const registry = new Registry();
    new Counter({ name: 'things_total', help: 'Things.', registers: [registry] }).inc(3);
    const answer = await fetch(`${await start({}, registry)}/metrics`);
    expect(answer.headers.get('content-type')).toContain('text/plain');
    expect(await answer.text()).toContain('things_total 3');
  });

  it('shows in the metrics what is missing, as it is at each scrape', async () => {
    let nats = false;
    const base = await start({ nats: () => nats, postgres: () => Promise.reject(new Error('gone')) });
    const figures = async () => (await fetch(`${base}/metrics`)).text();
    expect(await figures()).toContain('tollgate_ready{check="nats"} 0');
    nats = true;
    const after = await figures();
    expect(after).toContain('tollgate_ready{check="nats"} 1');
    expect(after).toContain('tollgate_ready{check="postgres"} 0');
  });

  it.each(['/', '/nothing', '/livez/../etc/passwd', '/%00', '//evil.example/livez'])(
    'answers 404 to %s',
    async (path) => {
      const answer = await fetch((await start()) + path);
      expect(answer.status).toBe(404);
    },
  );

  it('takes a probe with a query', async () => {
    expect((await fetch(`${await start()}/livez?probe=1`)).status).toBe(200);
  });

  it('counts a check that throws as missing, and stays up', async () => {
    const base = await start({
      database: () => {
        throw new Error('gone');
      },
      queue: () => Promise.reject(new Error('gone')),
    });
    const answer = await fetch(`${base}/readyz`);
    expect([answer.status, await answer.json()]).toEqual([
      503,
      { status: 'unavailable', missing: ['database', 'queue'], version },
    ]);
  });

  it('closes although a client keeps its connection open', async () => {
    const base = await start();
    await fetch(`${base}/livez`, { headers: { connection: 'keep-alive' } });
    await server?.close();
    await expect(fetch(`${base}/livez`)).rejects.toThrow();
    server = undefined;
  });

  it('says that a port is taken instead of hanging', async () => {
    const base = await start();
    const second = new InternalServer(new Registry(), {});
    await expect(second.listen(Number(new URL(base).port), '127.0.0.1')).rejects.toThrow('EADDRINUSE');
  });
});

describe('the missing parts', () => {
  it('are none when there is nothing to check', async () => {
    expect(await missingParts({})).toEqual([]);
  });
});
