import { z } from 'zod';
import type { Attack } from '../attack';
import { asking } from '../attack';
import type { Attacker, Ask } from '../attacker';

const some = { atOnce: 16, perSecond: 50 };
const day = 86_400_000;
const newKey = z.object({ key: z.object({ id: z.string() }) });

/** A request of the person at the dashboard. */
function paging(attacker: Attacker, path: string, body?: object): Ask {
  return { method: body ? 'POST' : 'GET', path, key: null, headers: attacker.means.person, body };
}

/** A window of more than a year, which ends now. */
function longWindow(days = 365): string {
  return `startAt=${Date.now() - days * day}&endAt=${Date.now()}`;
}

/** What people at pages and owners of keys ask for. */
export const dashboardAttacks: readonly Attack[] = [
  asking('reports of a month, by key', some, ({ means }) => ({
    method: 'GET',
    path: '/api/metrics?period=month',
    key: means.keys.open,
  })),
  asking('reports of a year', some, (attacker) => paging(attacker, `/api/reports/series?step=day&${longWindow()}`)),
  asking('exports', some, (attacker) =>
    paging(attacker, `/api/reports/export?what=requests&format=csv&${longWindow()}`),
  ),
  asking('log searches', some, (attacker, number) =>
    paging(attacker, `/api/reports/requests?${longWindow()}&limit=200&requestId=nobody-${number}`),
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
  asking('usage polled', { atOnce: 32, perSecond: 150 }, () => ({ method: 'GET', path: '/v1/usage' })),
  asking('models listed', { atOnce: 32, perSecond: 150 }, () => ({ method: 'GET', path: '/v1/models' })),
];
