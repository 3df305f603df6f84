import { operationOf, usualAddress } from './generation-routes';
import { operations } from './operations';

it.each([
  '/v1/chat/completions',
  '/v1/chat/completions?a=b',
  '/v1/chat/completions?',
  '/v1/chat/completions#a',
  '/v1/ch%61t/completions',
  'http://gateway.example.com/v1/chat/completions',
  'https://gateway.example.com:8443/v1/chat/completions?a=b',
])('finds the operation of %s', (url) => {
  expect(operationOf({ method: 'POST', url })?.path).toBe('/v1/chat/completions');
});

it.each([
  ['GET', '/v1/chat/completions'],
  ['POST', '/v1/chat/completions/'],
  ['POST', '//v1/chat/completions'],
  ['POST', '/V1/chat/completions'],
  ['POST', '/v1/chat%2Fcompletions'],
  ['POST', '/v1/%zz'],
  ['POST', '/v1/models'],
  ['POST', ''],
])('leaves %s %s to the framework', (method, url) => {
  expect(operationOf({ method, url })).toBeUndefined();
});

const headers = { accept: 'application/json' };

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
  // https://github.com/cline/cline/pull/12532 https://github.com/open-webui/open-webui/issues/16749
  ['/v1//models', '/v1/models'],
  ['//v1/messages?beta=true', '/v1/messages?beta=true'],
  ['/api/v1//chat/completions', '/v1/chat/completions'],
  ['/v1//responses?a=//b', '/v1/responses?a=//b'],
  ['/v1/chat/completions/', '/v1/chat/completions'],
  ['/v1/models/?a=b/', '/v1/models?a=b/'],
  ['/v1/models/openai/gpt-5.4/', '/v1/models/openai/gpt-5.4'],
  ['/chat/completions/', '/v1/chat/completions'],
  ['/api/v1//messages//?beta=true', '/v1/messages?beta=true'],
])('a client of another gateway that asks at %s means %s', (url, meant) =>
  expect(usualAddress({ url, headers })).toBe(meant),
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
  '//admin/models',
  '/api//metrics',
  '/v1/models/a?b=//c',
  '/v1/models?at=/',
  '/v1/',
  '/admin/models/',
  '/api/metrics/',
])('%s stays as it is', (url) => expect(usualAddress({ url, headers })).toBe(url));

it.each([...operations.map(({ path }) => path), '/v1/models', '/v1/usage', '/v1/conversations'])(
  '%s is there without its first part, too',
  (path) => expect(usualAddress({ url: path.slice('/v1'.length), headers })).toBe(path),
);

it('leaves the page of models to browsers', () =>
  expect(usualAddress({ url: '/models/openai/gpt-5.4', headers: { accept: 'text/html,*/*;q=0.8' } })).toBe(
    '/models/openai/gpt-5.4',
  ));
