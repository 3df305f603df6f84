import { accountsOperations } from '../accounts/accounts';
import { adminActOf, adminRouteOf, adminRoutes } from './admin-api';
import { catalogOperations, settingsOperations } from '../catalog/catalog-operations';
import { ledgerOperations } from '../metering/ledger';
import { liveProviderOperations } from '../catalog/live-providers';
import { ownKeyOperations } from '../accounts/own-keys';
import { inferenceOperations, providerOperations } from '../inference/provider-check';
import { administrationOperations } from '../accounts/people';
import { priceOperations } from '../catalog/price-import';

const named = adminRoutes.map((route) => [`${route.method} ${route.path}`, route] as const);

it('has each address once, and each operation by one route', () => {
  const names = named.map(([name]) => name);
  expect(new Set(names).size).toBe(names.length);
  const subjects = adminRoutes.flatMap((route) => route.subjects);
  expect(new Set(subjects).size).toBe(subjects.length);
});

it.each(named)('%s takes what its operation is asked, but who asks', (_name, { operation, params, query, body }) => {
  // Keys are sealed by edge on their way.
  const { set, setForProject } = ownKeyOperations;
  const sealing = [liveProviderOperations.setKey, set, setForProject].map(({ subject }) => subject);
  const given = sealing.some((subject) => subject === operation.subject) ? ['key'] : [];
  const members = [...Object.keys(operation.request.shape), ...given];
  for (const param of params) expect(members).toContain(param);
  const taken = [...Object.keys(query.shape), ...Object.keys(body.shape)];
  for (const member of taken) expect(members).toContain(member);
  for (const member of ['actor', 'by', ...params]) expect(taken).not.toContain(member);
});

it.each(named)('%s reads or writes as its scope says, and what it writes is written down', (_name, route) => {
  const { method, scope, act, operation } = route;
  if (method !== 'GET' && !act) expect(Object.keys(operation.request.shape)).toContain('actor');
  expect(scope.endsWith(method === 'GET' ? ':read' : ':write')).toBe(true);
  const isOfAccounts = operation.subject.startsWith('accounts.');
  if (method !== 'GET') expect(act !== undefined).toBe(!isOfAccounts);
});

it('writes down who reads what people wrote, and no other reading', () => {
  const reading = adminRoutes.filter(({ method, act }) => method === 'GET' && act);
  expect(reading.map(({ path }) => path)).toEqual(['/texts/:id', '/mails']);
});

it('writes down of what is only looked at for differences nothing, until something is changed', () => {
  const prices = { source: 'document', prices: [], apply: false };
  expect(adminRouteOf(priceOperations.importPrices.subject)?.act?.(prices)).toBeNull();
  expect(adminActOf(priceOperations.importPrices, { ...prices, apply: true })).toEqual({
    action: 'prices-imported',
    detail: { source: 'document', models: 0 },
  });
  expect(adminRouteOf(ledgerOperations.sweep.subject)?.act?.({})).toBeNull();
  expect(adminActOf(ledgerOperations.sweep, { forget: true })).toEqual({
    action: 'reservations-forgotten',
    detail: {},
  });
  expect(adminActOf(ledgerOperations.replayUsage, { sinceMs: 5, from: null })).toEqual({
    action: 'usage-replayed',
    detail: { since: 5, from: null },
  });
});

it('keeps what is decided of models, deployments and dead letters as the dashboard does', () => {
  expect(adminActOf(catalogOperations.setModelEnabled, { model: 'a/b', enabled: false })).toEqual({
    action: 'model-disabled',
    detail: { model: 'a/b' },
  });
  expect(adminActOf(catalogOperations.holdDeployment, { deployment: 'eu', state: 'draining', forS: 5 })).toEqual({
    action: 'deployment-drained',
    detail: { deployment: 'eu', reason: null, forS: 5 },
  });
  for (const [asked, token] of [
    [{ provider: 'openai' }, true] as const,
    [{ provider: 'openai', token: false }, false] as const,
  ])
    expect(adminActOf(providerOperations.check, asked)).toEqual({
      action: 'provider-checked',
      detail: { provider: 'openai', token },
    });
  expect(adminActOf(ledgerOperations.dropDeadLetter, { sequence: 7 })).toEqual({
    action: 'dead-letter-dropped',
    detail: { sequence: 7 },
  });
});

it('keeps of settings from which version they were changed and why, never their text', () => {
  const asked = { document: 'models: []', version: 4, reason: 'calm' };
  const detail = { from: 4, reason: 'calm' };
  expect(adminActOf(settingsOperations.apply, asked)).toEqual({ action: 'settings-change-asked', detail });
  const checked = { ...asked, dryRun: true };
  expect(adminRouteOf(settingsOperations.apply.subject)?.act?.(checked)).toBeNull();
  expect(() => adminActOf(settingsOperations.apply, checked)).toThrow('is not written down');
  expect(adminActOf(settingsOperations.rollBack, { to: 2 })).toEqual({
    action: 'settings-rollback-asked',
    detail: { to: 2, reason: null },
  });
});

it('keeps of keys of providers whose they are, and nothing of the key', () => {
  const asked = {
    provider: 'acme',
    name: 'main',
    key: 'sk-live',
    sealed: 'box',
    baseUrl: 'https://a',
    lastFour: 'live',
  };
  expect(adminActOf(liveProviderOperations.setKey, asked)).toEqual({
    action: 'provider-key-asked',
    detail: { provider: 'acme', name: 'main' },
  });
});

it('waits longer for what reads many events, but not past what stands between, and for providers', () => {
  const patient = adminRoutes.filter(({ timeoutMs }) => timeoutMs !== undefined);
  expect(Object.fromEntries(patient.map(({ path, timeoutMs }) => [path, timeoutMs]))).toEqual({
    '/usage/days': 55_000,
    '/usage/requests/:id/charge': 55_000,
    '/bills': 30_000,
    '/bills/requests': 55_000,
    '/dead-letters': 30_000,
    '/dead-letters/:sequence/replay': 55_000,
    '/providers/check': 90_000,
    '/providers/look': 90_000,
    '/providers/reseal': 30_000,
    '/keys/:keyId/texts': 30_000,
    '/usage/recount': 55_000,
    '/usage/replay': 55_000,
    '/usage/sweep': 30_000,
    '/prices/import': 55_000,
    '/imports/accounts': 55_000,
  });
});

it('keeps an act only of what another service does', () => {
  expect(() => adminActOf(accountsOperations.createKey, {})).toThrow(TypeError);
});

it('is found by what somebody asks', () => {
  expect(adminRouteOf(accountsOperations.listAccounts.subject)?.operation).toBe(
    administrationOperations.searchAccounts,
  );
  expect(adminRouteOf(inferenceOperations.checkProviders.subject)?.path).toBe('/providers/check');
  expect(adminRouteOf(accountsOperations.resolveKey.subject)).toBeUndefined();
});
