import { patience } from '@tollgate/testing';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { EdgeRig, eventually, question } from './testing/edge-rig';

let rig: EdgeRig;
let apiKey: string;
beforeAll(async () => {
  rig = await EdgeRig.start({ EDGE_KEEP_ALIVE_S: '1', EDGE_BODY_LIMIT: String(33_554_432) });
  apiKey = rig.accounts.create();
});
afterAll(() => rig.stop());
afterEach(() => {
  Object.assign(rig.inference.behaviour, {
    chunks: 3,
    pauseMs: 0,
    waitMs: 0,
    failAfter: null,
    chunkBytes: 0,
    simulated: true,
  });
});

const streamed = { ...question, stream: true };

/**
 * Reads a stream until `until` holds of its text, then hangs up. Returns when it hung up (performance.now).
 */
async function hangUpWhen(requestId: string, body: object, until: (text: string) => boolean): Promise<number> {
  const controller = new AbortController();
  const headers = {
    authorization: `Bearer ${apiKey}`,
    'content-type': 'application/json',
    'x-request-id': requestId,
  };
  const answer = rig.chat(apiKey, body, { headers, signal: controller.signal });
  if (until('')) {
    await eventually(() => rig.inference.calls.some(({ request }) => request.requestId === requestId));
  } else {
    let text = '';
    for await (const piece of (await answer).body ?? []) {
      text += Buffer.from(piece).toString();
      if (until(text)) break;
    }
  }
  const atMs = performance.now();
  controller.abort();
  await answer.catch(() => undefined);
  return atMs;
}

describe('a caller that hangs up', () => {
  it.each([
    ['before the first chunk', streamed, () => true, { waitMs: 60_000 }],
    ['at the first chunk', streamed, (text: string) => text.includes('t0'), { chunks: 1_000, pauseMs: 50 }],
    ['at the tenth chunk', streamed, (text: string) => text.includes('t9'), { chunks: 1_000, pauseMs: 20 }],
    ['after the last chunk', streamed, (text: string) => text.includes('t0'), { chunks: 1, pauseMs: 60_000 }],
    ['while waiting for a plain answer', question, () => true, { waitMs: 60_000 }],
  ])('stops its generation within a second: %s', async (name, body, until, behaviour) => {
    Object.assign(rig.inference.behaviour, behaviour);
    const requestId = `left-${name.replaceAll(' ', '-')}`;
    const leftAtMs = await hangUpWhen(requestId, body, until);
    await eventually(() => rig.inference.stops.has(requestId), 1_500);
    const stop = rig.inference.stops.get(requestId);
    expect(stop?.reason).toBe('caller_left');
    expect((stop?.atMs ?? Infinity) - leftAtMs).toBeLessThan(1_000 * patience);
  });
});

describe('a streamed answer', () => {
  it('carries the headers of the gateway and nothing of the upstream that is not allowed', async () => {
    const answer = await rig.chat(apiKey, streamed);
    const headers = Object.fromEntries(answer.headers);
    expect(headers).toMatchObject({
      'content-type': 'text/event-stream',
      'x-gateway-provider': 'openai',
      'x-gateway-model': 'openai/gpt-5.4-mini',
      'x-gateway-attempts': '1',
      'x-gateway-sandbox': 'true',
      'cache-control': 'no-cache, no-transform',
    });
    expect(headers['x-request-id']).toBeTruthy();
    expect(Number(headers['x-gateway-overhead-ms'])).toBeGreaterThanOrEqual(0);
    expect(headers['set-cookie']).toBeUndefined();
    expect(await answer.text()).toMatch(/data: \[DONE\]\n\n$/);
  });

  it('is not called simulated when a real provider gave it, though the sandbox stands in for others', async () => {
    rig.inference.behaviour.simulated = false;
    for (const body of [question, streamed]) {
      const answer = await rig.chat(apiKey, body);
      await answer.text();
      expect([answer.status, answer.headers.get('x-gateway-sandbox')]).toEqual([200, null]);
    }
    expect((await rig.get('/v1/models', apiKey)).headers.get('x-gateway-sandbox')).toBe('true');
  });

  it('is kept open by comments while the model thinks, before its first byte too', async () => {
    rig.inference.behaviour.waitMs = 2_600;
    const answer = await rig.chat(apiKey, streamed);
    expect(answer.headers.get('x-gateway-provider')).toBe('openai');
    const text = await answer.text();
    expect(text).toMatch(/^(:[^\n]*\n\n){1,10}data: /);
    expect(text).toMatch(/data: \[DONE\]\n\n$/);
  });

  it('that fails before its first byte is a plain error with its own status', async () => {
    rig.inference.behaviour.failAfter = 0;
    const answer = await rig.chat(apiKey, streamed);
    expect(answer.status).toBe(502);
    expect(answer.headers.get('x-gateway-provider')).toBe('openai');
    expect(await answer.json()).toEqual({
      error: { message: 'openai answered 500', type: 'upstream_error', code: 502, details: { provider: 'openai' } },
    });
  });

  it('that fails half-way ends with an error event and without [DONE]', async () => {
    Object.assign(rig.inference.behaviour, { failAfter: 2, chunks: 5 });
    const answer = await rig.chat(apiKey, streamed);
    const text = await answer.text();
    expect(answer.status).toBe(200);
    expect(text).toContain('"t1 "');
    expect(text).toContain('"upstream_error"');
    expect(text).not.toContain('[DONE]');
  });

  it('is cut within two seconds when its key is revoked', async () => {
    const doomed = rig.accounts.create();
    Object.assign(rig.inference.behaviour, { chunks: 500, pauseMs: 20 });
    const answer = await rig.chat(doomed, streamed);
    await sleep(200);
    const revokedAtMs = performance.now();
    rig.accounts.change(doomed, { keyStatus: 'revoked' });
    const text = await answer.text();
    expect(performance.now() - revokedAtMs).toBeLessThan(2_000 * patience);
    expect(text).toContain('"authentication_error"');
    expect(text).not.toContain('[DONE]');
    expect((await rig.chat(doomed, question)).status).toBe(401);
  });

  it('is cut too when the notice of the revocation was lost', async () => {
    const doomed = rig.accounts.create();
    Object.assign(rig.inference.behaviour, { chunks: 500, pauseMs: 20 });
    const answer = await rig.chat(doomed, streamed);
    await sleep(200);
    const revokedAtMs = performance.now();
    rig.accounts.change(doomed, { accountStatus: 'suspended' }, true);
    expect(await answer.text()).not.toContain('[DONE]');
    expect(performance.now() - revokedAtMs).toBeLessThan(2_000 * patience);
  });

  it('does not pile up for a reader that reads nothing', async () => {
    Object.assign(rig.inference.behaviour, { chunks: 2_000, chunkBytes: 16_384 });
    const before = rig.inference.bytesWritten;
    const stops = rig.inference.stops.size;
    const body = JSON.stringify(streamed);
    const socket = connect(rig.port, '127.0.0.1');
    socket.pause();
    socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${apiKey}\r\n` +
        `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
    await rig.inference.isHeldBack();
    // 32 MB are there to be read; what left the sender is in the kernel's buffers and in one window.
    expect(rig.inference.bytesWritten - before).toBeLessThan(12_000_000);
    socket.destroy();
    await eventually(() => rig.inference.stops.size > stops);
  });
});

describe('a request body', () => {
  const big = (bytes: number) => JSON.stringify({ ...question, metadata: { filler: 'x'.repeat(bytes) } });

  it('of 20 MiB passes', async () => {
    const answer = await rig.chat(apiKey, big(20 * 1_048_576));
    expect(answer.status).toBe(200);
    expect(rig.inference.calls.at(-1)?.body.length).toBeGreaterThan(20 * 1_048_576);
  });

  it('of 33 MiB is refused with 413', async () => {
    const answer = await rig.chat(apiKey, big(33 * 1_048_576));
    expect(answer.status).toBe(413);
    expect(await answer.json()).toMatchObject({ error: { type: 'invalid_request_error', code: 413 } });
  });

  it('of 33 MiB is refused with 413 when its length is not announced', async () => {
    const chunk = Buffer.alloc(1_048_576, 'x');
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const request = httpRequest(
        {
          port: rig.port,
          path: '/v1/chat/completions',
          method: 'POST',
          headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        },
        resolve,
      );
      request.on('error', reject);
      for (let i = 0; i < 33; i++) request.write(chunk);
      request.end();
    });
    expect(answer.statusCode).toBe(413);
    answer.resume();
  });

  it('that is refused is read on, for who sends all of it on its last request before it reads the answer', async () => {
    // More than the system's own buffers take of it.
    const body = big(16 * 1_048_576);
    const socket = connect({ port: rig.port, host: '127.0.0.1' });
    socket.pause();
    socket.write(
      'POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer nobody\r\nconnection: close\r\n' +
        `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n`,
    );
    await new Promise<void>((resolve, reject) => socket.write(body, (error) => (error ? reject(error) : resolve())));
    let answer = '';
    for await (const piece of socket) answer += String(piece);
    expect(answer).toMatch(/^HTTP\/1\.1 401 /);
    expect(answer).toContain('"code":401');
  });
});

describe('the end of edge', () => {
  it('is told by /readyz first; what still comes is answered, and each answer ends its connection', async () => {
    const own = await EdgeRig.start({ EDGE_STOP_GRACE_S: '4' });
    const key = own.accounts.create();
    expect((await own.chat(key, question)).headers.get('connection')).toBe('keep-alive');
    const stopped = own.stop();
    expect((await fetch(`${own.url}/readyz`)).status).toBe(503);
    for (const body of [question, streamed]) {
      const answer = await own.chat(key, body);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('connection')).toBe('close');
      await answer.text();
    }
    await stopped;
    await expect(fetch(`${own.url}/livez`)).rejects.toThrow();
  });

  it('lets a running stream come to its end, refuses new connections, and gives leases back', async () => {
    const own = await EdgeRig.start({ EDGE_DRAIN_S: '10' });
    const key = own.accounts.create({ quotaTokens: 1_000_000 });
    Object.assign(own.inference.behaviour, { chunks: 20, pauseMs: 50 });
    const answer = await own.chat(key, streamed);
    const stopped = own.service.stop();
    const isRefused = () =>
      fetch(`${own.url}/livez`).then(
        () => false,
        () => true,
      );
    await eventually(isRefused, 500);
    expect(await answer.text()).toMatch(/data: \[DONE\]\n\n$/);
    await stopped;
    await eventually(() => own.metering.used.get('key-1') === 30 && own.metering.heldTokens() === 0);
    await own.stop();
  });

  it('waits only a little for connections over which nothing ever came, as proxies open them ahead', async () => {
    // Longer than this test may take.
    const own = await EdgeRig.start({ EDGE_DRAIN_S: '3600' });
    const unused = connect(own.port, '127.0.0.1');
    await once(unused, 'connect');
    await (await fetch(`${own.url}/livez`)).text();
    await own.stop();
    unused.destroy();
  });
});
