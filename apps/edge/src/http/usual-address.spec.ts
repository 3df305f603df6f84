import { usualAddress } from './usual-address';

const withKey = { authorization: 'Bearer tg-1' };

it.each([
  ['/chat/completions', '/v1/chat/completions'],
  ['/responses/resp_1/cancel?a=b', '/v1/responses/resp_1/cancel?a=b'],
  ['/messages/count_tokens', '/v1/messages/count_tokens'],
  ['/models', '/v1/models'],
  ['/models/openai/gpt-5.4?x=1', '/v1/models/openai/gpt-5.4?x=1'],
  ['/api/v1/chat/completions', '/v1/chat/completions'],
  ['/openai/chat/completions', '/v1/chat/completions'],
  ['/openai/v1/models', '/v1/models'],
  ['/anthropic/v1/messages', '/v1/messages'],
  ['/litellm/chat/completions', '/v1/chat/completions'],
  ['/v1/v1/messages', '/v1/messages'],
])('a client of another gateway that asks at %s means %s', (url, meant) =>
  expect(usualAddress({ url, headers: withKey })).toBe(meant),
);

it.each([
  '/v1/chat/completions',
  '/v1/openai/chat/completions',
  '/',
  '/api/metrics',
  '/api/v1',
  '/api/v10/models',
  '/openai',
  '/completionsx',
  '/models-of-mine',
  '/admin/models',
])('%s stays as it is', (url) => expect(usualAddress({ url, headers: withKey })).toBe(url));

it('leaves the page of models to browsers, which show no key', () =>
  expect(usualAddress({ url: '/models/openai/gpt-5.4', headers: { cookie: 'session=1' } })).toBe(
    '/models/openai/gpt-5.4',
  ));
