import { createAdminToken } from '@tollgate/contracts';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { Attack } from '../attack';
import { answersWithinMs, asking } from '../attack';
import type { Attacker, Ask } from '../attacker';
import { made } from './made';

const some = { atOnce: 16, perSecond: 50 };
const day = 86_400_000;
const newKey = z.object({ apiKey: z.string(), key: z.object({ id: z.string() }) });

/** A request of the person at the dashboard. */
function paging(attacker: Attacker, path: string, body?: object): Ask {
  return { method: body ? 'POST' : 'GET', path, key: null, headers: attacker.means.person, body };
}

/** A window of more than a year, which ends now. */
function longWindow(days = 365): string {
  return `startAt=${Date.now() - days * day}&endAt=${Date.now()}`;
}

/** Twenty keys of the person's account, each of which was used. */
const usedKeys = made(async (attacker, end) => {
  const one = async (_: unknown, number: number) => {
    const { apiKey } = newKey.parse(
      await attacker.read(paging(attacker, '/api/keys', { name: `chart ${number}` }), end),
    );
    await attacker.ask({ key: apiKey, body: attacker.chat(number, 'tokens=3') }, end);
    return apiKey;
  };
  return Promise.all(Array.from({ length: 20 }, one));
});
const directory = '/scim/v2/Users';
const directoryUser = (number: number) => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
  userName: `pushed-${number}-${Date.now()}@example.org`,
  displayName: 'Pushed',
});

/** What people at pages and owners of keys ask for. */
export const dashboardAttacks: readonly Attack[] = [
  asking('reports of a month, by key', some, ({ means }) => ({
    method: 'GET',
    path: '/api/metrics?period=month',
    key: means.keys.open,
  })),
  {
    name: '200: charts of a year by twenty keys, polled by each',
    atOnce: 20,
    perSecond: 60,
    leastMs: 6_000,
    patienceMs: answersWithinMs,
    prepare: usedKeys,
    act: async (attacker, number, end) => {
      const keys = await usedKeys(attacker, end);
      const chart = `/api/reports/series?step=day&groupBy=key&maxLines=20&${longWindow()}`;
      const own = { method: 'GET', path: '/api/metrics?period=month', key: keys[number % keys.length] } as const;
      return attacker.ask(number % 2 === 0 ? paging(attacker, chart) : own, end);
    },
  },
  asking('reports of a year', some, (attacker) => paging(attacker, `/api/reports/series?step=day&${longWindow()}`)),
  asking('exports', some, (attacker) =>
    paging(attacker, `/api/reports/export?what=requests&format=csv&${longWindow()}`),
  ),
  asking('log searches', some, (attacker, number) =>
    paging(attacker, `/api/reports/requests?${longWindow()}&limit=200&requestId=nobody-${number}`),
  ),
  asking(
    'logs of a year that are looked through for a part of an id',
    { atOnce: 32, perSecond: 100 },
    (attacker, number) =>
      paging(attacker, `/api/reports/requests?${longWindow()}&limit=200&idPart=nobody-${number}&atLeastMs=1`),
  ),
  asking('dashboard polling', { atOnce: 32, perSecond: 150 }, (attacker, number) =>
    paging(attacker, ['/api/auth/me', '/api/keys', '/api/catalog'][number % 3] ?? ''),
  ),
  asking('playground', some, (attacker, number) =>
    paging(
      attacker,
      `/api/playground/chat/completions?keyId=${attacker.means.keyId}`,
      attacker.chat(number, 'tokens=50', { stream: true }),
    ),
  ),
  asking('wrong passwords', some, (attacker, number) =>
    paging(attacker, '/api/auth/sign-in', {
      email: `nobody-${number}@example.org`,
      password: 'a wrong password, and long',
    }),
  ),
  asking('access asked for without end', some, (attacker, number) =>
    paging(attacker, '/api/auth/sign-up', {
      name: 'Nobody',
      email: `nobody-${number}-${Date.now()}@example.org`,
      password: 'a password that is long enough',
    }),
  ),
  asking('passwords forgotten', some, (attacker) =>
    paging(attacker, '/api/auth/forgot', { email: 'attacker@example.org' }),
  ),
  asking('made-up admin tokens', { atOnce: 32, perSecond: 200 }, () => ({
    method: 'GET',
    path: '/api/admin/v1/accounts',
    key: createAdminToken('tg'),
  })),
  asking('codes of an authenticator that are guessed', { atOnce: 32, perSecond: 200 }, (attacker, number) =>
    paging(attacker, '/api/auth/second-factor/confirm', { code: String(number % 1_000_000).padStart(6, '0') }),
  ),
  asking('a second factor that is taken away by guesses', some, (attacker, number) =>
    paging(attacker, '/api/auth/second-factor/remove', {
      password: 'a wrong password, and long',
      code: String(number % 1_000_000).padStart(6, '0'),
    }),
  ),
  asking(
    '201 or 200: a directory that pushes and reads without end',
    { atOnce: 32, perSecond: 150 },
    (attacker, number) =>
      number % 2 === 0
        ? { path: directory, key: attacker.means.directoryToken, body: directoryUser(number) }
        : { method: 'GET', path: `${directory}?count=200`, key: attacker.means.directoryToken },
  ),
  asking('a directory that looks for names', { atOnce: 32, perSecond: 150 }, ({ means }, number) => ({
    method: 'GET',
    path: `${directory}?filter=${encodeURIComponent(`userName eq "nobody-${number}@example.org"`)}`,
    key: means.directoryToken,
  })),
  {
    name: 'keys made and revoked',
    atOnce: 8,
    perSecond: 30,
    act: async (attacker, number, end) => {
      const made = await attacker.read(paging(attacker, '/api/keys', { name: `churn ${number}` }), end);
      const { key } = newKey.parse(made);
      return attacker.ask(paging(attacker, `/api/keys/${key.id}/revoke`, {}), end);
    },
  },
  {
    name: 'a key with hundreds of streams is revoked',
    atOnce: 1,
    perSecond: 1,
    leastMs: 4_000,
    patienceMs: answersWithinMs,
    act: async (attacker, number, end) => {
      const made = await attacker.read(paging(attacker, '/api/keys', { name: `many ${number}` }), end);
      const { apiKey, key } = newKey.parse(made);
      const body = attacker.chat(number, 'tokens=2000 delay_ms=50', { stream: true });
      const streams = Promise.allSettled(Array.from({ length: 300 }, () => attacker.ask({ key: apiKey, body }, end)));
      await delay(1_000, undefined, { signal: end });
      const ending = await attacker.ask(paging(attacker, `/api/keys/${key.id}/revoke`, {}), end);
      await streams;
      return ending;
    },
  },
  asking('sessions, users and tags without end', { atOnce: 32, perSecond: 100 }, (attacker, number) => ({
    headers: {
      'x-session-id': `session ${number}`,
      'x-tollgate-tags': Array.from({ length: 10 }, (_, tag) => `t${tag}=${number}`).join(','),
    },
    body: attacker.chat(number, 'tokens=3', { user: `user ${number}` }),
  })),
  asking('usage polled', { atOnce: 32, perSecond: 150 }, () => ({ method: 'GET', path: '/v1/usage' })),
  asking('models listed', { atOnce: 32, perSecond: 150 }, () => ({ method: 'GET', path: '/v1/models' })),
];
