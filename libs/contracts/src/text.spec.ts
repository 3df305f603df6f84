import type { z } from 'zod';
import { accountsOperations } from './accounts/accounts';
import { adminTokenOperations } from './accounts/admin-tokens';
import { webhookOperations } from './accounts/alerts';
import { budgetOperations } from './metering/budgets';
import { catalogOperations } from './catalog/catalog-operations';
import { importOperations } from './accounts/imports';
import { ledgerOperations } from './metering/ledger';
import { liveProviderOperations } from './catalog/live-providers';
import { meteringOperations } from './metering/metering';
import { reportOperations } from './metering/reports';
import { text, thingName } from './text';

const window = { startAt: 0, endAt: 1 };

/** Everything that a caller may name in a report or an act, and that is then looked for in the database. */
const requests: [string, z.ZodType, object][] = [
  ['metrics.model', meteringOperations.metrics.request, { keyId: 'k', period: 'day', model: 'a\0b' }],
  ['series.model', reportOperations.series.request, { ...window, step: 'hour', model: '\0' }],
  ['series.provider', reportOperations.series.request, { ...window, step: 'hour', provider: '\0' }],
  ['series.accountId', reportOperations.series.request, { ...window, step: 'hour', accountId: '\0' }],
  ['series.timeZone', reportOperations.series.request, { ...window, step: 'hour', timeZone: 'U\0TC' }],
  ['requests.keyIds', reportOperations.listRequests.request, { ...window, keyIds: ['a\0'] }],
  ['requests.requestId', reportOperations.listRequests.request, { ...window, requestId: 'a\0' }],
  ['requests.after', reportOperations.listRequests.request, { ...window, after: 'a\0' }],
  ['explain.id', ledgerOperations.explain.request, { id: 'a\0' }],
  ['recount.keyId', meteringOperations.recount.request, { keyId: 'a\0' }],
  ['setModelEnabled.model', catalogOperations.setModelEnabled.request, { model: 'a\0', enabled: true }],
];

it.each(requests)('%s is refused with a NUL, which Postgres cannot look for', (_field, schema, request) => {
  expect(schema.safeParse(request).error?.issues[0]?.message).toMatch(/NUL/);
  const plain = JSON.parse(JSON.stringify(request).replaceAll('\\u0000', '')) as unknown;
  expect(JSON.stringify(schema.safeParse(plain).error?.issues ?? [])).not.toContain('NUL');
});

it('takes every whole character, and no half of one', () => {
  for (const good of ['', 'Ada', '😀 é 漢', '\u0001']) expect(text(20).safeParse(good).success).toBe(true);
  for (const bad of ['\ud800', 'a\udfff', '\ude00\ud83d', '\0']) expect(text(20).safeParse(bad).success).toBe(false);
});

const email = 'ada@example.com';
/** Everything that people give a name to. */
const named: [string, z.ZodType, object][] = [
  ['a key', accountsOperations.createKey.request, {}],
  ['a key that is renamed', accountsOperations.updateKey.request, { keyId: 'k' }],
  ['an account', accountsOperations.requestAccess.request, { email }],
  ['a budget', budgetOperations.create.request, { accountId: 'a', limitUsd: '1', window: 'day' }],
  ['a budget that is renamed', budgetOperations.update.request, { budgetId: 'b' }],
  ['a webhook', webhookOperations.create.request, { url: 'https://example.com' }],
  ['a webhook that is renamed', webhookOperations.update.request, { webhookId: 'w' }],
  ['a provider', liveProviderOperations.set.request, { provider: 'acme', reason: '', by: 'ada' }],
  ['a token', adminTokenOperations.create.request, { scopes: ['keys:read'], expiresAt: null }],
];

it.each(named)('%s is called something', (_what, schema, request) => {
  for (const name of ['', ' ', '\t\n\u00a0'])
    expect(schema.safeParse({ ...request, name }).error?.issues).toMatchObject([
      { path: ['name'], message: 'must not be empty' },
    ]);
  expect(schema.safeParse({ ...request, name: ' web ' }).data).toMatchObject({ name: 'web' });
});

it('what comes over from another gateway is called something, too', () => {
  const account = { reference: email, name: 'Ada', person: null, plan: 'beta', keys: [], budgets: [] };
  const { request } = importOperations.take;
  const take = (changed: object) =>
    request.safeParse({ source: 'litellm', account: { ...account, ...changed }, actor: 'ada' });
  expect(take({}).success).toBe(true);
  expect(take({ name: ' ' }).error?.issues).toMatchObject([
    { path: ['account', 'name'], message: 'must not be empty' },
  ]);
});

it('a name has as many characters as are said, without the spaces around it', () => {
  expect(thingName(3).safeParse('abcd').success).toBe(false);
  expect(thingName(3).parse(' é')).toBe('é');
});
