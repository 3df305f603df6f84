import { createAdminToken, usageEvent } from '@tollgate/contracts';
import {
  accountsOperations,
  administrationOperations,
  adminScopes,
  adminTokenOperations,
} from '@tollgate/contracts/accounts';
import { guardrail } from '@tollgate/contracts/catalog';
import { connect } from 'node:net';
import { eventually } from '@tollgate/testing';
import { CallerLeft } from '../generation/caller-left';
import { EdgeRig } from '../testing/edge-rig';
import { loggedRequest } from '../testing/fake-metering';
import { AdminApi } from './admin-api';
import { requestsAMinute } from './admin.strategy';
import { servedRoutes, type ServedRoute } from './served-routes';

let rig: EdgeRig;
let token: string;
let apiKey: string;
beforeAll(async () => {
  rig = await EdgeRig.start();
  apiKey = rig.accounts.create({ id: 'key-1' });
  token = rig.people.createToken();
});
afterAll(() => rig.stop());

interface Wish {
  body?: object;
  headers?: Record<string, string>;
}

const ask = (method: string, path: string, bearer: string | null, { body, headers = {} }: Wish = {}) =>
  fetch(`${rig.url}/api/admin/v1${path}`, {
    method,
    headers: {
      ...(bearer !== null && { authorization: `Bearer ${bearer}` }),
      ...(method === 'GET' ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(method !== 'GET' && { body: JSON.stringify(body ?? {}) }),
  });

/** Every route, as it is listed: one that is added is tested. */
const table = servedRoutes.map((route): [string, ServedRoute] => [`${route.method} ${route.path}`, route]);
const askRoute = (route: ServedRoute, bearer: string | null, headers: Record<string, string> = {}) =>
  ask(route.method, route.path.replace(/:\w+/g, route.path.includes(':sequence') ? '1' : 'key-1'), bearer, { headers });

describe.each(table)('%s', (_name, route) => {
  const refused = async (bearer: string | null, headers: Record<string, string> = {}) => {
    const asked = rig.people.asked.length;
    const response = await askRoute(route, bearer, headers);
    const { error } = (await response.json()) as { error: { message: string; details?: { reason: string } } };
    const beside = rig.people.asked.slice(asked).filter(({ subject }) => subject !== 'accounts.tokens.resolve');
    expect(beside).toEqual([]);
    return { status: response.status, message: error.message, reason: error.details?.reason };
  };

  it('refuses who has no token, one that was never made, is revoked or has expired, and API keys', async () => {
    expect(await refused(null)).toMatchObject({ status: 401, message: /No admin token/ });
    for (const [bearer, message] of [
      [createAdminToken('tg'), /not valid/],
      [`${token.slice(0, -1)}~`, /not valid/],
      [rig.people.createToken({ revokedAt: 5 }), /revoked/],
      [rig.people.createToken({ expiresAt: 5 }), /expired/],
      [apiKey, /API key/],
      ['sk-imported', /API key/],
    ] as const)
      expect(await refused(bearer)).toMatchObject({ status: 401, message: expect.stringMatching(message) });
  });

  it('takes a token from the header Authorization alone', async () => {
    expect(await refused(null, { 'x-api-key': token })).toMatchObject({ status: 401 });
    expect(await refused(null, { cookie: `tollgate_session=${token}` })).toMatchObject({ status: 401 });
  });

  it('refuses a token with every other scope, and says which is needed', async () => {
    const scopes = adminScopes.filter((scope) => scope !== route.scope);
    const { status, message, reason } = await refused(rig.people.createToken({ scopes }));
    expect({ status, reason }).toEqual({ status: 403, reason: 'insufficient_scope' });
    expect(message).toContain(route.scope);
  });

  it('lets a token in with this scope alone', async () => {
    const response = await askRoute(route, rig.people.createToken({ scopes: [route.scope] }));
    expect([401, 403, 500]).not.toContain(response.status);
    expect(response.headers.get('cache-control')).toBe('no-store');
  });
});

it('is told as a whole: every scope opens a route', () => {
  expect(adminScopes.filter((scope) => !servedRoutes.some((route) => route.scope === scope))).toEqual([]);
});

describe('an admin token', () => {
  it('opens nothing for callers, and says where it belongs', async () => {
    const response = await rig.get('/v1/models', token);
    expect([response.status, await response.json()]).toMatchObject([
      401,
      { error: { message: expect.stringContaining('/api/admin/v1') } },
    ]);
  });

  it('is named in what it has done', async () => {
    const made = await ask('POST', '/keys', token, { body: { accountId: 'account-2', name: 'x', rpm: null } });
    expect([made.status, await made.json()]).toMatchObject([201, { apiKey: 'tg_sk_told_once', key: { name: 'x' } }]);
    expect(rig.people.askedOf(accountsOperations.createKey).at(-1)).toMatchObject({
      ...{ accountId: 'account-2', name: 'x', rpm: null },
      actor: 'token:terraform (tg_adm_…abcd)',
    });
  });

  it('may ask so often a minute, and is told', async () => {
    const busy = rig.people.createToken({ scopes: [] });
    let last = await ask('GET', '/keys', busy);
    expect(last.headers.get('x-ratelimit-limit-requests')).toBe(String(requestsAMinute));
    for (let asked = 1; asked < requestsAMinute; asked += 50)
      await Promise.all(Array.from({ length: 50 }, () => ask('GET', '/keys', busy)));
    const lookups = () => rig.people.askedOf(adminTokenOperations.resolve).length;
    const before = lookups();
    last = await ask('GET', '/keys', busy);
    expect([last.status, lookups()]).toEqual([429, before]);
    expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await ask('GET', '/keys', token)).status).toBe(200);
  });

  it('is asked for again a little later while accounts is away', async () => {
    rig.people.isAway = true;
    const response = await ask('GET', '/keys', token);
    rig.people.isAway = false;
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '2']);
  });
});

describe('a request', () => {
  it('is answered with a page, and says of what one it is', async () => {
    const response = await ask('GET', '/keys?limit=5&after=x&accountId=account-1', token);
    expect(await response.json()).toMatchObject({ data: [{ id: 'key-1' }], has_more: false, next: null });
    expect(rig.people.askedOf(accountsOperations.listKeys).at(-1)).toEqual({
      ...{ accountId: 'account-1', limit: 5, after: 'x' },
    });
  });

  it.each([
    ['GET', '/keys?limit=0', {}, /^limit: /],
    ['GET', '/keys?limit=many', {}, /^limit: /],
    ['GET', '/keys?what=1', {}, /what/],
    ['GET', '/keys?constructor=1', {}, /constructor/],
    ['GET', '/keys?__proto__=1', {}, /__proto__/],
    ['GET', '/keys?toString=1', {}, /toString/],
    ['GET', '/keys?endsBy=8640000000000001', {}, /^endsBy: /],
    ['GET', '/usage/series?startAt=-1&endAt=1&step=day', {}, /^startAt: /],
    ['GET', '/usage/series?startAt=0&endAt=1&step=day&inColumns=true', {}, /inColumns/],
    ['GET', '/usage/slices?startAt=0&endAt=9000000000000000&dimension=tag', {}, /^endAt: /],
    ['GET', '/usage/projects?startAt=0&endAt=1', {}, /^accountId: /],
    ['GET', '/usage/projects?accountId=account-1&startAt=0&endAt=1&projects=[]', {}, /projects/],
    ['GET', '/usage/requests?startAt=0&endAt=9000000000000000', {}, /^endAt: /],
    ['GET', '/usage/refusals?startAt=0&endAt=9000000000000000', {}, /^endAt: /],
    ['POST', '/keys', { accountId: 'account-1' }, /^name: /],
    ['POST', '/keys', { name: 'x', actor: 'somebody else' }, /actor/],
    ['PATCH', '/keys/key-1', { rpm: -1 }, /^rpm: /],
    ['PATCH', '/keys/key-1', { keyId: 'key-2' }, /keyId/],
  ])('is refused by what is wrong with it: %s %s %j', async (method, path, body, message) => {
    const response = await ask(method, path, token, { body });
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { error: { type: 'invalid_request_error', code: 400, message: expect.stringMatching(message) } },
    ]);
  });

  it('has guardrails tried with a text, by edge alone: nothing of it is written down', async () => {
    const rule = { id: 'hush', kind: 'regex', patterns: ['hush'], appliesTo: 'input', action: 'block' };
    rig.catalog.change({ guardrails: [guardrail.parse({ ...rule, keys: ['key-1'] })] });
    const acts = () => rig.people.askedOf(administrationOperations.recordAct).length;
    const before = acts();
    const tried = async (body: object) => {
      const answer = await ask('POST', '/guardrails/try', token, { body });
      return [answer.status, (await answer.json()) as object] as const;
    };
    const blocked = { holding: 1, findings: [{ guardrail: 'hush', action: 'block' }], blockedBy: 'hush', goesOn: null };
    const inForce = await eventually(
      () => tried({ text: 'hush', keyId: 'key-1' }),
      ([, told]) => !('holding' in told) || told.holding === 1,
    );
    expect(inForce).toEqual([200, blocked]);
    expect(await tried({ text: 'hush', side: 'output' })).toMatchObject([200, { holding: 0, goesOn: 'hush' }]);
    const draft = { id: 'draft', kind: 'regex', appliesTo: 'both', action: 'redact', patterns: ['h.sh'] };
    expect(await tried({ text: 'a hush', draft })).toMatchObject([200, { goesOn: 'a [redacted:draft]' }]);
    expect((await tried({ text: 'hush', keyId: 'no-key' }))[0]).toBe(404);
    expect((await tried({ text: '' }))[0]).toBe(400);
    expect(acts()).toBe(before);
    rig.catalog.change({ guardrails: [] });
  });

  it('divides what an account used by the projects of its keys', async () => {
    rig.accounts.create({ id: 'web-key', accountId: 'account-of-web', project: 'web' });
    const response = await ask('GET', '/usage/projects?accountId=account-of-web&startAt=0&endAt=3600000', token);
    expect([response.status, await response.json()]).toMatchObject([200, { slices: [{ name: 'web' }] }]);
    expect(rig.metering.reportsAsked.at(-1)).toEqual({
      accountId: 'account-of-web',
      keyIds: ['web-key'],
      groupBy: 'project',
    });
  });

  it('names in its path what there can be, before anything is written down', async () => {
    const acts = () => rig.people.askedOf(administrationOperations.recordAct).length;
    const before = acts();
    for (const sequence of ['whatever-text', '0', '-1', '1.5', '%00']) {
      const response = await ask('DELETE', `/dead-letters/${sequence}`, token);
      expect([response.status, await response.json()]).toMatchObject([
        400,
        { error: { message: expect.stringMatching(/^sequence: /) } },
      ]);
    }
    expect(acts()).toBe(before);
  });

  it('is no failure of ours where its sender leaves in the middle of it', async () => {
    const answered = jest.spyOn(rig.service.get(AdminApi), 'answer');
    const socket = connect(rig.port, '127.0.0.1');
    const head = [
      'POST /api/admin/v1/keys HTTP/1.1',
      'host: edge',
      `authorization: Bearer ${token}`,
      'content-type: application/json',
      'content-length: 100',
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n{"name"`);
    await eventually(() => answered.mock.calls.length === 1);
    socket.destroy();
    await expect(answered.mock.results[0]?.value).rejects.toBeInstanceOf(CallerLeft);
    const [[, , reply] = []] = answered.mock.calls;
    await eventually(() => reply?.sent === true);
    expect(reply?.raw.headersSent).toBe(false);
    answered.mockRestore();
  });

  it('is told what else an answer says beside its page', async () => {
    const response = await ask('GET', '/usage/requests?startAt=0&endAt=1', token);
    expect(await response.json()).toMatchObject({ data: [], has_more: false, next: null, orderedBy: 'startedAt' });
  });

  it('is told beside a cost of one model what the catalog doubts of its price', async () => {
    const request = loggedRequest({});
    rig.metering.requests = [request];
    rig.metering.events.push(usageEvent.parse({ ...request, lease: null, reportedBy: 'inference' }));
    const { models } = rig.catalog.snapshot;
    rig.catalog.change({ models: models.map((each) => ({ ...each, priceUnconfirmed: true })) });
    const told = async (path: string) => (await ask('GET', `/usage/${path}`, token)).json();
    const window = 'startAt=0&endAt=1';
    const doubt = { priceUnconfirmed: true, pricesOldSince: null };
    const listed = { data: [doubt] };
    expect(
      await eventually(
        () => told(`requests?${window}`),
        (page) => JSON.stringify(page).includes('"priceUnconfirmed":true'),
      ),
    ).toMatchObject(listed);
    expect(await told(`series?${window}&step=day&groupBy=model`)).toMatchObject({ lines: [doubt] });
    expect(await told(`requests/${request.id}/charge`)).toMatchObject({ events: [doubt] });
    const summed = (await told(`series?${window}&step=day`)) as { lines: object[] };
    expect(summed.lines).toEqual([expect.not.objectContaining({ priceUnconfirmed: expect.anything() as unknown })]);
    rig.catalog.change({ models });
  });

  it('is told what is not there', async () => {
    expect((await ask('POST', '/keys/none/revoke', token)).status).toBe(404);
    expect((await ask('GET', '/nothing', token)).status).toBe(404);
  });
});

describe('an Idempotency-Key', () => {
  const headers = { 'idempotency-key': 'deploy-7' };

  it('has a write done once', async () => {
    const before = rig.people.askedOf(accountsOperations.createKey).length;
    const body = { name: 'once' };
    const [first, again] = [
      await ask('POST', '/keys', token, { body, headers }),
      await ask('POST', '/keys', token, { body, headers }),
    ];
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(await again.json()).toEqual(await first.json());
    expect([first, again].map((one) => one.headers.get('idempotent-replayed'))).toEqual([null, 'true']);
    expect(rig.people.askedOf(accountsOperations.createKey)).toHaveLength(before + 1);
  });

  it('is for one request', async () => {
    for (const refused of [
      await ask('POST', '/keys', token, { body: { name: 'another' }, headers }),
      await ask('POST', '/keys/key-1/revoke', token, { headers }),
    ])
      expect([refused.status, await refused.json()]).toMatchObject([
        409,
        { error: { code: 409, details: { reason: 'idempotency_key_reused' } } },
      ]);
  });

  it('counts for nothing where another service acts: each time is written down, before it is done', async () => {
    const wish = { body: { model: 'openai/gpt-5.4-mini', enabled: false }, headers: { 'idempotency-key': 'off' } };
    const acts = () => rig.people.askedOf(administrationOperations.recordAct);
    const before = acts().length;
    for (const enabled of [false, true, false]) {
      const response = await ask('POST', '/models/switch', token, { ...wish, body: { ...wish.body, enabled } });
      expect([response.status, response.headers.get('idempotent-replayed')]).toEqual([200, null]);
    }
    const line = (action: string) => ({
      ...{ actor: 'token:terraform (tg_adm_…abcd)', action },
      detail: { model: wish.body.model },
    });
    expect(acts().slice(before)).toEqual([line('model-disabled'), line('model-enabled'), line('model-disabled')]);
    rig.people.refusesActs = true;
    const refused = await ask('POST', '/models/switch', token, { body: wish.body });
    rig.people.refusesActs = false;
    expect(refused.status).toBe(503);
  });

  it('needs no body where something is removed', async () => {
    const acts = () => rig.people.askedOf(administrationOperations.recordAct);
    const before = acts().length;
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(`${rig.url}/api/admin/v1/plans/team`, { method: 'DELETE', headers });
    // The catalog is away.
    expect(response.status).toBe(503);
    expect(acts().slice(before)).toMatchObject([
      { action: 'plan-removal-asked', detail: { plan: 'team', reason: null } },
    ]);
  });

  it('is free again where the request was refused', async () => {
    const once = { 'idempotency-key': 'refused' };
    expect((await ask('POST', '/keys/none/revoke', token, { headers: once })).status).toBe(404);
    expect((await ask('POST', '/keys/key-1/revoke', token, { headers: once })).status).toBe(200);
  });

  it('is for later where accounts is of the release before, and does not do once what is asked', async () => {
    // Budgets are nothing that it serves.
    const refused = await ask('DELETE', '/budgets/budget-1', token, { headers: { 'idempotency-key': 'new' } });
    expect([refused.status, refused.headers.get('retry-after'), await refused.json()]).toMatchObject([
      ...[503, '30'],
      { error: { message: expect.stringContaining('being upgraded') } },
    ]);
  });

  it('says by a word of its own that what was done cannot be told again', async () => {
    const wish = { body: { name: 'sealed' }, headers: { 'idempotency-key': 'sealed' } };
    expect((await ask('POST', '/keys', token, wish)).status).toBe(201);
    rig.people.hasNewPepper = true;
    const again = await ask('POST', '/keys', token, wish);
    rig.people.hasNewPepper = false;
    expect([again.status, await again.json()]).toMatchObject([
      409,
      { error: { code: 409, details: { reason: 'idempotency_answer_lost' } } },
    ]);
  });

  it('must be one', async () => {
    for (const key of ['a b', 'x'.repeat(256)]) {
      const response = await ask('POST', '/keys', token, { body: { name: 'x' }, headers: { 'idempotency-key': key } });
      expect(response.status).toBe(400);
    }
  });
});
