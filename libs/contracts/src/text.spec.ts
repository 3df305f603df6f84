import type { z } from 'zod';
import { catalogOperations } from './catalog-operations';
import { ledgerOperations } from './ledger';
import { meteringOperations } from './metering';
import { reportOperations } from './reports';
import { text } from './text';

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
