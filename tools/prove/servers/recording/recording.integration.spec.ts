import { answerJson, startScriptedUpstream } from '@tollgate/testing';
import type { ScriptedUpstream } from '@tollgate/testing';
import { keyOf } from './recording';
import { Recorder } from './recorder';
import { startRecordedServer } from './recorded-server';

const site = { installed: '/opt/here', work: '/tmp/there', port: 0, others: new Map<string, string>() };
const stops: (() => Promise<void>)[] = [];
let real: ScriptedUpstream;
let recorder: Recorder;

const ask = async (url: string, body: object | null, key = 'its key', path = '/v1/chat/completions') => {
  const response = await fetch(url + path, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, retryAfter: response.headers.get('retry-after'), text: await response.text() };
};
const replayed = async (key: string | null) => {
  const server = await startRecordedServer(recorder.exchanges, key);
  stops.push(() => server.stop());
  return server;
};

beforeEach(async () => {
  real = await startScriptedUpstream((visit) => {
    const wanted = visit.headers.authorization === 'Bearer its key';
    const text = JSON.stringify({ count: visit.number, wanted, from: '/tmp/there/tiny.gguf of /opt/here/bin' });
    answerJson(visit, visit.path === '/v1/rerank' ? 503 : 200, text, { 'retry-after': '7', 'x-of-its-own': 'a' });
  });
  recorder = await Recorder.start(real.url, site);
  stops.push(
    () => real.stop(),
    () => recorder.stop(),
  );
});
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

it('passes on with the key what is asked, and answers the same again without the server', async () => {
  const body = { model: 'tiny', messages: [{ role: 'user', content: 'é' }] };
  const first = await ask(recorder.url, body);
  expect(JSON.parse(first.text)).toMatchObject({ count: 0, wanted: true });
  const { retryAfter, status } = await ask(recorder.url, { query: 'a' }, 'its key', '/v1/rerank');
  expect([retryAfter, status]).toEqual(['7', 503]);
  const server = await replayed('its key');
  const { messages, model } = body;
  expect(await ask(server.url, { messages, model })).toEqual({
    ...first,
    text: first.text.replace('/tmp/there', '/models').replace('/opt/here', '/server'),
  });
  expect(await ask(server.url, { query: 'a' }, 'its key', '/v1/rerank')).toMatchObject({
    status: 503,
    retryAfter: '7',
  });
  expect((await ask(server.url, body, 'another')).status).toBe(401);
});

it('keeps the first answer to a request, and lists of models, but nothing else that is read', async () => {
  for (const path of ['/v1/models', '/metrics', '/slots']) await ask(recorder.url, null, 'its key', path);
  for (const model of ['a', 'a', 'b']) await ask(recorder.url, { model });
  expect(recorder.exchanges.map(({ asked }) => asked.replace(/ \w{16}$/, ''))).toEqual([
    'GET /v1/models',
    ...['a', 'b'].map(() => 'POST /v1/chat/completions'),
  ]);
  const server = await replayed(null);
  expect((await ask(server.url, null, '', '/metrics')).status).toBe(404);
  expect(JSON.parse((await ask(server.url, { model: 'a' })).text)).toMatchObject({ count: 3 });
});

it('says what it was asked that nobody recorded', async () => {
  const server = await replayed(null);
  const { status, text } = await ask(server.url, { model: 'new' });
  expect(status).toBe(400);
  expect(text).toMatch(/nobody recorded POST \/v1\/chat\/completions .*new.*prove -- servers --record/);
});

it('takes requests for the same whose documents are', () => {
  const key = (text: string) => keyOf('/v1/x', Buffer.from(text));
  expect(key('{"a":{"b":1,"c":[2,1]},"d":null}')).toBe(key('{ "d": null, "a": { "c": [2, 1], "b": 1 } }'));
  expect(key('{"a":[1,2]}')).not.toBe(key('{"a":[2,1]}'));
  expect(key('no json')).not.toBe(key('no JSON'));
});
