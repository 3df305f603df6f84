import { adminScopes, directoryOperations } from '@tollgate/contracts/accounts';
import { EdgeRig } from '../testing/edge-rig';

let rig: EdgeRig;
let token: string;
beforeAll(async () => {
  rig = await EdgeRig.start();
  token = rig.people.createToken({ name: 'okta', scopes: ['scim'], accountId: 'account-1' });
});
afterAll(() => rig.stop());

const ask = (method: string, path: string, body?: object, bearer: string | null = token) =>
  fetch(`${rig.url}/scim/v2${path}`, {
    method,
    headers: {
      ...(bearer !== null && { authorization: `Bearer ${bearer}` }),
      ...(body && { 'content-type': 'application/scim+json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
const acting = { accountId: 'account-1', actor: 'token:okta (tg_adm_…abcd)' };
const user = { schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], userName: 'grace@example.com' };

// Jest would hand a callback to what takes more than a row has.
const routes: [string, string, object | undefined][] = [
  ['GET', '/ServiceProviderConfig', undefined],
  ['GET', '/ResourceTypes', undefined],
  ['GET', '/ResourceTypes/User', undefined],
  ['GET', '/Schemas', undefined],
  ['GET', '/Schemas/urn:ietf:params:scim:schemas:core:2.0:User', undefined],
  ['GET', '/Users', undefined],
  ['GET', '/Users/user-1', undefined],
  ['POST', '/Users', user],
  ['PUT', '/Users/user-1', user],
  ['PATCH', '/Users/user-1', { Operations: [{ op: 'replace', value: { active: false } }] }],
  ['DELETE', '/Users/user-1', undefined],
];

it.each(routes)(
  '%s %s opens to a token of a directory only, and refuses in words of SCIM',
  async (method, path, body) => {
    for (const [bearer, status] of [
      [null, 401],
      [rig.accounts.create(), 401],
      [rig.people.createToken({ scopes: [...adminScopes] }), 403],
    ] as const) {
      const before = rig.people.asked.length;
      const response = await ask(method, path, body, bearer);
      expect([response.status, response.headers.get('content-type')]).toEqual([
        status,
        expect.stringMatching(/scim\+json/),
      ]);
      expect(await response.json()).toMatchObject({
        ...{ schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'], status: String(status) },
        detail: expect.any(String),
      });
      const asked = rig.people.asked.slice(before).map(({ subject }) => subject);
      expect(asked.filter((subject) => subject !== 'accounts.tokens.resolve')).toEqual([]);
    }
    expect((await ask(method, path, body)).status).toBeLessThan(300);
  },
);

it('has no groups, and says so to who looks for some when it is set up, as Okta does', async () => {
  const response = await ask('GET', '/Groups?startIndex=1&count=100');
  expect([response.status, await response.json()]).toMatchObject([200, { totalResults: 0, Resources: [] }]);
});

it('tells where what it made, and its type, are to be read', async () => {
  const made = await ask('POST', '/Users', { ...user, userName: 'where@example.com' });
  const { meta } = (await made.json()) as { meta: { location: string } };
  expect(made.headers.get('location')).toBe(meta.location);
  const { Resources } = (await (await ask('GET', '/ResourceTypes')).json()) as { Resources: [{ meta: typeof meta }] };
  const type = await fetch(Resources[0].meta.location, { headers: { authorization: `Bearer ${token}` } });
  expect([type.status, await type.json()]).toEqual([200, Resources[0]]);
});

it('tells its schema at the address that the list of them names, and of others that there is none', async () => {
  const { Resources } = (await (await ask('GET', '/Schemas')).json()) as {
    Resources: [{ id: string; meta: { location: string } }];
  };
  const [schema] = Resources;
  expect(schema).toMatchObject({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:Schema'],
    meta: { resourceType: 'Schema', location: expect.stringMatching(/\/Schemas\/urn:.*:User$/) as string },
  });
  const told = await fetch(schema.meta.location, { headers: { authorization: `Bearer ${token}` } });
  expect([told.status, await told.json()]).toEqual([200, schema]);
  for (const path of ['/Schemas/urn:ietf:params:scim:schemas:core:2.0:Group', '/ResourceTypes/Group']) {
    const none = await ask('GET', path);
    expect([none.status, none.headers.get('content-type')]).toEqual([404, expect.stringContaining('scim+json')]);
    expect(await none.json()).toMatchObject({ status: '404', detail: expect.stringContaining('users') as string });
  }
});

it.each([
  ['GET', '/Groups/one', 404],
  // A 404 where a 2xx is expected makes Entra's whole job fail, also for users.
  ['POST', '/Groups', 501],
  ['PATCH', '/Groups/one', 404],
])('says in words of SCIM that it takes no groups: %s %s is a %d', async (method, path, status) => {
  const response = await ask(method, path, method === 'GET' ? undefined : { displayName: 'developers' });
  expect([response.status, await response.json()]).toEqual([
    status,
    expect.objectContaining({ status: String(status), detail: expect.stringContaining('roles of the user') }),
  ]);
});

it.each([
  ['GET', '/Me', 501],
  ['PATCH', '/Me', 501],
  ['POST', '/Bulk', 501],
  ['GET', '/Things/one', 404],
  ['POST', '/Users/.search', 404],
  ['DELETE', '/Users', 405],
])('says in words of SCIM what it does not do: %s %s is a %d', async (method, path, status) => {
  const response = await ask(method, path, method === 'GET' || method === 'DELETE' ? undefined : {});
  expect([response.status, response.headers.get('content-type')]).toEqual([
    status,
    expect.stringMatching(/^application\/scim\+json/),
  ]);
  expect(await response.json()).toEqual({
    schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    ...{ status: String(status), detail: expect.any(String) as string },
  });
  expect(response.headers.get('allow')).toBe(status === 405 ? 'GET, HEAD, POST' : null);
});

it('opens no part of the admin API', async () => {
  const response = await fetch(`${rig.url}/api/admin/v1/keys`, { headers: { authorization: `Bearer ${token}` } });
  expect(response.status).toBe(403);
});

it('shows users as directories read them, and finds one by the name', async () => {
  const response = await ask('GET', `/Users?filter=${encodeURIComponent('userName eq "ada@example.com"')}&count=5`);
  expect(response.headers.get('content-type')).toMatch(/^application\/scim\+json/);
  expect(await response.json()).toEqual({
    schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
    ...{ totalResults: 1, startIndex: 1, itemsPerPage: 1 },
    Resources: [
      {
        schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
        ...{ id: 'user-1', externalId: '00u1', userName: 'ada@example.com', displayName: 'Ada', active: true },
        name: { formatted: 'Ada' },
        emails: [{ value: 'ada@example.com', type: 'work', primary: true }],
        roles: [{ value: 'developer', primary: true }],
        meta: {
          ...{ resourceType: 'User', created: '1970-01-01T00:00:00.000Z', lastModified: '1970-01-01T00:00:01.000Z' },
          location: expect.stringMatching(/^http:\/\/.+\/scim\/v2\/Users\/user-1$/),
        },
      },
    ],
  });
  expect(rig.people.askedOf(directoryOperations.list).at(-1)).toEqual({
    ...{ accountId: 'account-1', skip: 0, limit: 5, userName: 'ada@example.com' },
  });
});

it.each([
  'userName co "a"',
  'title eq "x"',
  'userName eq "a" or userName eq "b"',
  'userName eq a',
  '',
  `userName eq "${'a'.repeat(600)}"`,
])('knows no filter %s', async (filter) => {
  const response = await ask('GET', `/Users?filter=${encodeURIComponent(filter)}`);
  expect([response.status, await response.json()]).toMatchObject([400, { scimType: 'invalidFilter' }]);
});

it('makes a user, with what is not said', async () => {
  const response = await ask('POST', '/Users', {
    ...user,
    name: { givenName: 'Grace', familyName: 'Hopper' },
    password: 'x',
  });
  expect([response.status, await response.json()]).toMatchObject([201, { id: 'user-2', displayName: 'Grace Hopper' }]);
  expect(rig.people.askedOf(directoryOperations.create).at(-1)).toEqual({
    ...{ userName: 'grace@example.com', email: 'grace@example.com', name: 'Grace Hopper', externalId: null },
    ...{ role: 'developer', active: true, ...acting },
  });
});

it('makes a user of the address of work, where none is called the primary one', async () => {
  const emails = [
    { type: 'home', value: 'grace@private.example' },
    { type: 'work', value: 'grace@example.com' },
  ];
  await ask('POST', '/Users', { ...user, userName: 'grace', emails });
  expect(rig.people.askedOf(directoryOperations.create).at(-1)).toMatchObject({ email: 'grace@example.com' });
});

it.each([
  [{ ...user, userName: 'taken', emails: [{ value: 'a@example.com' }] }, 409, 'uniqueness'],
  [{ ...user, userName: 'waits', emails: [{ value: 'a@example.com' }] }, 403, undefined],
  [{ ...user, userName: 'no-address' }, 400, 'invalidValue'],
  [{ emails: [{ value: 'a@example.com' }] }, 400, 'invalidValue'],
  [{ ...user, roles: [{ value: 'owner' }] }, 400, 'invalidValue'],
])('refuses %j with %d', async (body, status, scimType) => {
  const response = await ask('POST', '/Users', body);
  expect(response.status).toBe(status);
  const told = (await response.json()) as object;
  expect(told).toMatchObject({ status: String(status), ...(scimType && { scimType }) });
  expect('scimType' in told).toBe(scimType !== undefined);
});

it('changes what is said, in the name of the token', async () => {
  await ask('PATCH', '/Users/user-1', { Operations: [{ op: 'Replace', path: 'active', value: 'False' }] });
  const changed = () => rig.people.askedOf(directoryOperations.change).at(-1);
  expect(changed()).toEqual({ id: 'user-1', active: false, ...acting });
  // A role that is not sent stays.
  await ask('PUT', '/Users/user-1', { ...user, active: false });
  expect(changed()).toEqual({
    ...{ id: 'user-1', userName: 'grace@example.com', email: 'grace@example.com', name: 'grace@example.com' },
    ...{ externalId: null, active: false, ...acting },
  });
  // A part of the name takes its place in the one that is known.
  await ask('PATCH', '/Users/user-1', { Operations: [{ op: 'replace', path: 'name.familyName', value: 'Murray' }] });
  expect(changed()).toEqual({ id: 'user-1', name: 'Ada Murray', ...acting });
  // Nobody is left without a name.
  await ask('PATCH', '/Users/user-1', { Operations: [{ op: 'replace', path: 'name.givenName', value: '' }] });
  expect(changed()).toEqual({ id: 'user-1', name: 'Ada', ...acting });
  // One that says nothing of it brings nobody back.
  await ask('PUT', '/Users/user-1', user);
  expect(changed()).not.toHaveProperty('active');
});

it.each(['GET', 'PATCH', 'DELETE'])('%s of a user that there is not is a 404', async (method) => {
  const body = method === 'PATCH' ? { Operations: [{ op: 'replace', value: { active: false } }] } : undefined;
  const response = await ask(method, '/Users/user-9', body);
  expect([response.status, await response.json()]).toMatchObject([404, { status: '404' }]);
});

it('is asked to come again while accounts is away', async () => {
  rig.people.isAway = true;
  const response = await ask('GET', '/Users');
  rig.people.isAway = false;
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '2']);
});
