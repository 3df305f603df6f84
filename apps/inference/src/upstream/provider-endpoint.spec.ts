import type { Authentication } from '@tollgate/contracts/catalog';
import { aProvider, aRequest } from '../testing/fixtures';
import { providerEndpoint, upstreamHeaders, lostBetas, takenBetas } from './provider-endpoint';

function headersFor(authentication: Authentication, asked: Record<string, string> = {}): Record<string, string> {
  const provider = aProvider({ authentication });
  const endpoint = providerEndpoint(provider, provider.baseUrl, { kind: 'key', key: 'secret' });
  return upstreamHeaders(aRequest({ headers: asked }), endpoint, {}, true);
}

describe('a key', () => {
  it.each<[Authentication, string, string]>([
    ['bearer', 'authorization', 'Bearer secret'],
    ['x-api-key', 'x-api-key', 'secret'],
    ['x-goog-api-key', 'x-goog-api-key', 'secret'],
    ['api-key', 'api-key', 'secret'],
    ['aws', 'authorization', 'Bearer secret'],
  ])('of the kind %s is shown in %s and nowhere else', (authentication, name, value) => {
    const headers = headersFor(authentication);
    expect(Object.entries(headers).filter(([, text]) => text.includes('secret'))).toEqual([[name, value]]);
  });

  it.each<Authentication>(['bearer', 'x-api-key', 'x-goog-api-key', 'api-key', 'aws'])(
    'of the kind %s is not joined by a credential that a caller sends',
    (authentication) => {
      const names = ['Authorization', 'X-Api-Key', 'X-Goog-Api-Key', 'Api-Key', 'X-Amz-Security-Token', 'X-Amz-Date'];
      const headers = headersFor(authentication, Object.fromEntries(names.map((name) => [name, 'of-the-caller'])));
      expect(JSON.stringify(headers)).not.toContain('of-the-caller');
    },
  );

  it('that is not needed leaves no header', () => {
    const provider = aProvider();
    const endpoint = providerEndpoint(provider, provider.baseUrl, { kind: 'none' });
    expect(endpoint).toMatchObject({ apiKey: null, keyHeaders: {}, authorizer: null });
  });
});

it('tells a simulated provider which one it stands for, and nobody else', () => {
  const provider = aProvider({ id: 'acme' });
  const headers = (simulated: boolean): Record<string, string> =>
    upstreamHeaders(
      aRequest(),
      providerEndpoint(provider, provider.baseUrl, { kind: 'none' }, null, simulated),
      {},
      true,
    );
  expect(headers(true)).toMatchObject({ 'x-simulated-provider': 'acme' });
  expect(headers(false)).not.toHaveProperty('x-simulated-provider');
});

it('asks for the form of answer that the dialect wants, else for the usual one', () => {
  const provider = aProvider();
  const endpoint = providerEndpoint(provider, provider.baseUrl, { kind: 'none' });
  const accept = (stream: boolean, dialect: Record<string, string>): string | undefined =>
    upstreamHeaders(aRequest({ stream }), endpoint, dialect, true).accept;
  expect(accept(true, { accept: 'application/vnd.amazon.eventstream' })).toBe('application/vnd.amazon.eventstream');
  expect(accept(true, {})).toBe('text/event-stream');
  expect(accept(false, {})).toBe('application/json');
});

it('passes the headers of the caller to a provider of the same dialect only, where they have a meaning', () => {
  const provider = aProvider({ headers: { 'x-operator': 'wins' } });
  const endpoint = providerEndpoint(provider, provider.baseUrl, { kind: 'none' });
  const asked = aRequest({ headers: { 'anthropic-version': '2026-10-21', 'x-operator': 'of-the-caller' } });
  const dialect = { 'anthropic-version': '2023-06-01' };
  expect(upstreamHeaders(asked, endpoint, dialect, true)).toMatchObject({
    'anthropic-version': '2026-10-21',
    'x-operator': 'wins',
  });
  expect(upstreamHeaders(asked, endpoint, dialect, false)).toMatchObject({ 'anthropic-version': '2023-06-01' });
});

const vertex = aProvider({ name: 'V', quirks: { dropBetas: ['effort-2025-11-24', 'old-2025-01-01'] } });

describe('betas that a provider refuses', () => {
  it.each([
    ['a-1,effort-2025-11-24 , b-2', 'a-1,b-2', ['effort-2025-11-24']],
    ['effort-2025-11-24', null, ['effort-2025-11-24']],
    ['a-1, b-2', 'a-1, b-2', []],
  ])('are left out of %s', (header, taken, dropped) => {
    expect(takenBetas(header, vertex)).toEqual({ taken, dropped });
    const request = aRequest({ headers: { 'anthropic-beta': header } });
    const endpoint = providerEndpoint(vertex, vertex.baseUrl, { kind: 'none' });
    expect(upstreamHeaders(request, endpoint, {}, true)['anthropic-beta'] ?? null).toBe(taken);
    expect(lostBetas(request, vertex, true)).toEqual(
      dropped.map((name) => `the beta ${name} was dropped: V does not take it`),
    );
  });
});

it('tells of betas that ask for something by themselves where the request goes in another format', () => {
  const header = 'claude-code-20250219,redact-thinking-2026-02-12,context-1m-2025-08-07,effort-2025-11-24';
  const request = aRequest({ headers: { 'anthropic-beta': header } });
  expect(lostBetas(request, vertex, false)).toEqual([
    'redact-thinking-2026-02-12, context-1m-2025-08-07 in anthropic-beta was dropped: the request went to V in another format',
  ]);
  expect(lostBetas(aRequest(), vertex, false)).toEqual([]);
});
