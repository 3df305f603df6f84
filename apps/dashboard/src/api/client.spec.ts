import { z } from 'zod/mini';
import { ApiError, messageOf } from './api-error';
import { create, get, keepCsrfToken, onLostSession, post, remove, tell, withQuery } from './client';

const answers: Response[] = [];
const asked = jest.fn((_path: string, _init: RequestInit) => {
  const answer = answers.shift();
  return answer ? Promise.resolve(answer) : Promise.reject(new TypeError('network'));
});
const json = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  new Response(body === null ? null : JSON.stringify(body), { status, headers });
const failure = (call: Promise<unknown>) =>
  call.then(
    () => null,
    (error: unknown) => error,
  );

beforeAll(() => jest.spyOn(globalThis, 'fetch').mockImplementation(asked as unknown as typeof fetch));
beforeEach(() => asked.mockClear());
afterAll(() => jest.restoreAllMocks());

it('leaves parameters without a value out', () =>
  expect(withQuery('/x', { a: 1, b: '', c: null, d: undefined, e: 'y z' })).toBe('/x?a=1&e=y+z'));

it('asks for a token before the first change, when none was told yet', async () => {
  answers.push(json(200, { csrfToken: 'first' }), json(204, null));
  await tell('/api/auth/verify-email', { token: 'x' });
  expect(asked.mock.calls.map(([path]) => path)).toEqual(['/api/auth/me', '/api/auth/verify-email']);
  expect(asked.mock.calls[1]?.[1]).toMatchObject({ headers: { 'x-csrf-token': 'first' } });
});

it('sends the token of the session with every change', async () => {
  keepCsrfToken('secret');
  answers.push(json(200, { ok: true }));
  await expect(post('/api/x', { a: 1 }, z.object({ ok: z.boolean() }))).resolves.toEqual({ ok: true });
  expect(asked.mock.calls[0]?.[1]).toMatchObject({ headers: { 'x-csrf-token': 'secret' }, body: '{"a":1}' });
});

it("fails with the gateway's own words", async () => {
  answers.push(json(429, { error: { message: 'Too many tries.', type: 'x', code: 429 } }, { 'retry-after': '30' }));
  const error = await failure(tell('/api/auth/sign-in'));
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({ status: 429, retryAfterS: 30 });
  expect(messageOf(error)).toBe('Too many tries. Try again in 30 seconds.');
});

it('says so when nothing answers, and when the answer has another shape', async () => {
  expect(await failure(get('/api/x', z.object({})))).toMatchObject({ status: 0 });
  answers.push(json(200, { ok: 'yes' }));
  expect(messageOf(await failure(get('/api/x', z.object({ ok: z.boolean() }))))).toMatch(/cannot read/);
});

it('tells that the session is lost, but not for a wrong password', async () => {
  const lost = jest.fn();
  const stop = onLostSession(lost);
  answers.push(json(401, {}), json(401, {}));
  await failure(tell('/api/auth/sign-in'));
  expect(lost).not.toHaveBeenCalled();
  await failure(get('/api/keys', z.object({})));
  expect(lost).toHaveBeenCalledTimes(1);
  stop();
});

describe('a change with a token of a session that is over', () => {
  const stale = () =>
    json(403, { error: { message: 'Load it again.', code: 403, details: { reason: 'stale_token' } } });
  const tokens = () => asked.mock.calls.flatMap(([, { headers }]) => (headers ? [headers] : []));

  it('is sent again when somebody signed in anew', async () => {
    keepCsrfToken('old');
    answers.push(stale(), json(200, { csrfToken: 'new', user: { name: 'Ada' } }), json(204, null));
    await tell('/api/keys', { name: 'Notes' });
    expect(tokens()).toMatchObject([{ 'x-csrf-token': 'old' }, { 'x-csrf-token': 'new' }]);
  });

  it('asks to sign in again, when nobody is signed in', async () => {
    const lost = jest.fn();
    const stop = onLostSession(lost);
    keepCsrfToken('old');
    answers.push(stale(), json(200, { csrfToken: 'of a visitor', user: null }));
    expect(await failure(tell('/api/keys', { name: 'Notes' }))).toMatchObject({ status: 401 });
    expect(lost).toHaveBeenCalledTimes(1);
    expect(tokens()).toHaveLength(1);
    stop();
  });

  it('is not sent a third time', async () => {
    answers.push(stale(), json(200, { csrfToken: 'new', user: {} }), stale());
    expect(await failure(tell('/api/keys'))).toMatchObject({ status: 403 });
  });
});

describe('a removal', () => {
  it.each([502, 503, 504])('is done when what it removes is gone after one with no answer but %i', async (status) => {
    answers.push(json(status, {}), json(404, {}));
    expect(await failure(remove('/api/things/a/remove'))).toMatchObject({ status });
    await expect(remove('/api/things/a/remove')).resolves.toBeUndefined();
    answers.push(json(404, {}));
    expect(await failure(remove('/api/things/a/remove'))).toMatchObject({ status: 404 });
  });

  it('of what there never was fails, also after one of something else that had no answer', async () => {
    answers.push(json(503, {}), json(404, {}), json(404, {}));
    await failure(remove('/api/things/remove', { id: 'b' }));
    expect(await failure(remove('/api/things/remove', { id: 'c' }))).toMatchObject({ status: 404 });
    await expect(remove('/api/things/remove', { id: 'b' })).resolves.toBeUndefined();
  });
});

describe('what makes something', () => {
  const made = z.object({ id: z.string() });
  const make = () => create('/api/things', { name: 'a' }, made, 'dialog-1');

  it('is sent with the idempotency key of its dialog', async () => {
    answers.push(json(201, { id: 'a' }));
    expect(await make()).toEqual({ id: 'a' });
    expect(asked.mock.calls[0]?.[1].headers).toMatchObject({ 'idempotency-key': 'dialog-1' });
  });

  it.each([502, 503, 504])('says after no answer but %i that it can be sent again', async (status) => {
    answers.push(json(status, { error: { message: 'No answer in time.' } }), json(201, { id: 'a' }));
    expect(await failure(make())).toMatchObject({
      status,
      message:
        'No answer in time. It may have been made: press again, and you are shown what was made. It is not made twice.',
    });
    expect(await make()).toEqual({ id: 'a' });
  });

  it('says that something else was made before under its key, and nothing more of a conflict', async () => {
    const refusal = (reason: string | undefined) =>
      json(409, { error: { message: 'No.', code: 409, details: { reason } } });
    answers.push(refusal('idempotency_key_reused'), refusal(undefined));
    expect(await failure(make())).toMatchObject({
      message: expect.stringContaining('It was made when no answer came'),
    });
    expect(await failure(make())).toMatchObject({ message: 'No.' });
  });
});

it('takes an answer that was asked for before it, once', async () => {
  const globals = globalThis as { window?: { asked?: Record<string, Promise<Response>> } };
  globals.window = { asked: { '/api/early': Promise.resolve(json(200, { at: 'first' })) } };
  answers.push(json(200, { at: 'second' }));
  const shape = z.object({ at: z.string() });
  await expect(get('/api/early', shape)).resolves.toEqual({ at: 'first' });
  expect(asked).not.toHaveBeenCalled();
  await expect(get('/api/early', shape)).resolves.toEqual({ at: 'second' });
  delete globals.window;
});
