import { aProvider, aRequest } from '../testing/fixtures';
import { providerEndpoint } from './provider-endpoint';
import { lostBetas, takenBetas, upstreamHeaders } from './upstream-headers';

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
