import { HttpAdapterHost } from '@nestjs/core';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EdgeRig, question } from '../testing/edge-rig';
import { rawRequest } from '../testing/raw-request';

const folder = mkdtempSync(join(tmpdir(), 'tollgate-headers-'));
let rig: EdgeRig;
let apiKey: string;
beforeAll(async () => {
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>Tollgate</title>');
  writeFileSync(join(folder, 'assets', 'app-a1b2c3.js'), 'export {};');
  rig = await EdgeRig.start({ EDGE_DASHBOARD: folder, TRUST_PROXY: 'true' });
  apiKey = rig.accounts.create();
});
afterAll(async () => {
  await rig.stop();
  rmSync(folder, { recursive: true });
});

const closed = "default-src 'none'; frame-ancestors 'none'";
const hsts = 'max-age=31536000';
const html = { accept: 'text/html' };
const stream = { ...question, stream: true };

/** One of each kind of answer: what it is, its path, its status, how it is asked, and its policy. */
const kinds: [string, string, number, () => RequestInit, string | RegExp][] = [
  ['a page', '/keys', 200, () => ({ headers: html }), /^default-src 'self'.*frame-ancestors 'none'$/],
  ['an asset', '/assets/app-a1b2c3.js', 200, () => ({}), closed],
  ['the documentation', '/docs', 200, () => ({ headers: html }), /^default-src 'self'.*frame-ancestors 'none'$/],
  ['the OpenAPI document', '/openapi.json', 200, () => ({}), closed],
  ['a probe', '/livez', 200, () => ({}), closed],
  ['an unknown address', '/v1/none', 404, () => ({}), closed],
  ['a wrong method', '/v1/models', 405, () => ({ method: 'POST' }), closed],
  ['a missing key', '/v1/models', 401, () => ({}), closed],
  ['a list', '/v1/models', 200, () => ({ headers: { authorization: `Bearer ${apiKey}` } }), closed],
  ['an answer', '/v1/chat/completions', 200, () => generation(question), closed],
  ['a stream', '/v1/chat/completions', 200, () => generation(stream), closed],
  ['a wrong request', '/v1/chat/completions', 400, () => generation({}), closed],
  ['the dashboard API', '/api/auth/me', 200, () => ({}), closed],
  ['a refusal of the dashboard API', '/api/keys', 401, () => ({}), closed],
  ['an address that cannot be decoded', '/v1/%zz', 400, () => ({}), closed],
];

function generation(body: object): RequestInit {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  return { method: 'POST', headers, body: JSON.stringify(body) };
}

it.each(kinds)('%s tells browsers what they may do with it', async (_kind, path, status, init, policy) => {
  const response = await fetch(`${rig.url}${path}`, { redirect: 'manual', ...init() });
  await response.text();
  expect(response.status).toBe(status);
  const { headers } = response;
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('referrer-policy')).toBe('no-referrer');
  if (typeof policy === 'string') expect(headers.get('content-security-policy')).toBe(policy);
  else expect(headers.get('content-security-policy')).toMatch(policy);
  expect(headers.get('strict-transport-security')).toBeNull();
  expect(headers.get('server')).toBeNull();
  expect(headers.get('x-powered-by')).toBeNull();
});

it.each(kinds.filter(([, path]) => path !== '/v1/%zz'))(
  '%s binds to HTTPS where a caller came so',
  async (_kind, path, _status, init) => {
    const asked = init();
    const headers = { ...asked.headers, 'x-forwarded-proto': 'https', 'x-forwarded-host': 'gateway.example.com' };
    const response = await fetch(`${rig.url}${path}`, { redirect: 'manual', ...asked, headers });
    await response.text();
    expect(response.headers.get('strict-transport-security')).toBe(hsts);
  },
);

it.each(kinds)('%s tells of less time than its connection is kept', async (_kind, path, _status, init) => {
  const response = await fetch(`${rig.url}${path}`, { redirect: 'manual', ...init() });
  await response.text();
  const toldMs = Number(/^timeout=(\d+)$/.exec(response.headers.get('keep-alive') ?? '')?.[1]) * 1_000;
  const { keepAliveTimeout } = rig.service.get(HttpAdapterHost).httpAdapter.getHttpServer() as Server;
  // Common proxies keep theirs for 60 s, and callers who go by it may be late.
  expect(toldMs).toBeGreaterThan(60_000);
  expect(keepAliveTimeout - toldMs).toBeGreaterThanOrEqual(10_000);
});

it.each(kinds)('%s tells of no time where its connection ends with it', async (_kind, path, status, init) => {
  const { method = 'GET', headers, body } = init();
  const sent = typeof body === 'string' ? body : '';
  const all = new Headers({ ...headers, host: 'edge', connection: 'close', 'content-length': String(sent.length) });
  const lines = [`${method} ${path} HTTP/1.1`, ...[...all].map(([name, value]) => `${name}: ${value}`), '', sent];
  const { text } = await rawRequest(rig.port, lines.join('\r\n'));
  const [told = ''] = text.split('\r\n\r\n');
  expect(told).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(told).toMatch(/^connection: close/im);
  expect(told).not.toMatch(/^keep-alive:/im);
});

it('bytes that are no request are answered with the same headers', async () => {
  const { statuses, text } = await rawRequest(rig.port, 'NONSENSE\r\n\r\n');
  expect(statuses).toEqual([400]);
  for (const line of ['x-content-type-options: nosniff', 'referrer-policy: no-referrer', closed])
    expect(text).toContain(line);
});

it('a stranger cannot make browsers believe in HTTPS', async () => {
  const alone = await EdgeRig.start();
  const response = await fetch(`${alone.url}/livez`, { headers: { 'x-forwarded-proto': 'https' } });
  expect(response.headers.get('strict-transport-security')).toBeNull();
  await alone.stop();
});
