import { GatewayError } from '@tollgate/contracts';
import { requireOwnPage } from './same-origin';
import { SessionCookie } from './session-cookie';

const reply = { setCookie: () => reply, clearCookie: () => reply } as never;
const request = { cookies: { tollgate_session: 'a-session-token-of-some-length' }, protocol: 'http' as const };
const cookie = () => new SessionCookie(request, reply, 'a secret of this edge');
const token = cookie().csrfToken();
const check = (headers: Record<string, string>) =>
  requireOwnPage({ 'x-csrf-token': token, ...headers }, 'tollgate.example', cookie());

it.each([
  [{ origin: 'https://tollgate.example' }],
  [{ 'sec-fetch-site': 'same-origin' }],
  [{ 'sec-fetch-site': 'same-origin', origin: 'https://tollgate.example' }],
])('takes a change with %j', (headers) => {
  expect(() => check(headers)).not.toThrow();
});

it.each([
  [{}],
  [{ origin: 'null' }],
  [{ origin: 'https://tollgate.example.evil' }],
  [{ origin: 'https://tollgate.example:8443' }],
  [{ origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' }],
  [{ origin: 'https://tollgate.example', 'sec-fetch-site': 'cross-site' }],
  [{ 'sec-fetch-site': 'none' }],
  [{ origin: 'https://tollgate.example', 'x-csrf-token': '' }],
  [{ origin: 'https://tollgate.example', 'x-csrf-token': `${token}x` }],
])('refuses a change with %j', (headers) => {
  expect(() => check(headers)).toThrow(GatewayError);
});

it('says in a word that a token is out of date, so that a page can ask who is signed in', () => {
  const refusal = (headers: Record<string, string>): unknown => {
    try {
      return check(headers);
    } catch (error) {
      return error;
    }
  };
  const stale = { origin: 'https://tollgate.example', 'x-csrf-token': 'of another session' };
  expect(refusal(stale)).toMatchObject({ status: 403, details: { reason: 'stale_token' } });
  expect(refusal({ origin: 'https://evil.example' })).toMatchObject({ status: 403, details: null });
});

it('gives each session, and each secret, a token of its own', () => {
  const other = { ...request, cookies: { tollgate_session: 'another-session-token-of-length' } };
  expect(new SessionCookie(other, reply, 'a secret of this edge').csrfToken()).not.toBe(token);
  expect(new SessionCookie(request, reply, 'another secret').csrfToken()).not.toBe(token);
});
