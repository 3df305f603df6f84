import { operationOf } from './generation-routes';

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
