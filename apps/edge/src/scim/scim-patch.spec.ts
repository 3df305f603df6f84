import { fromScimPatch } from './scim-patch';
import { renamed, withParts } from './scim-user';

const patch = (...operations: object[]) => fromScimPatch({ Operations: operations });

it.each([
  // https://developer.okta.com/docs/api/openapi/okta-scim/guides/scim-20/#update-a-specific-user-patch
  ['as Okta writes it', { op: 'replace', value: { active: false } }],
  // https://learn.microsoft.com/en-us/entra/identity/app-provisioning/use-scim-to-provision-users-and-groups#disable-user
  ['as Entra writes it', { op: 'Replace', path: 'active', value: false }],
  ['as Entra wrote it before', { op: 'Replace', path: 'active', value: 'False' }],
  [
    'with the name of the schema',
    { op: 'replace', path: 'urn:ietf:params:scim:schemas:core:2.0:User:active', value: false },
  ],
])('takes somebody away %s', (_what, operation) => {
  expect(patch(operation)).toEqual({ active: false });
});

it('takes every attribute that is kept, the last of several that say the same', () => {
  expect(
    patch(
      { op: 'replace', path: 'userName', value: 'ada' },
      { op: 'add', path: 'externalId', value: '00u1' },
      { op: 'Add', path: 'emails[type eq "work"].value', value: 'ada@example.com' },
      { op: 'replace', path: 'roles[primary eq "True"].value', value: 'Viewer' },
      { op: 'replace', path: 'displayName', value: 'Ada' },
      { op: 'replace', path: 'name.formatted', value: 'Ada Lovelace' },
      { op: 'replace', value: { active: 'True', 'name.givenName': 'A', title: 'Countess' } },
    ),
  ).toEqual({
    ...{ userName: 'ada', externalId: '00u1', email: 'ada@example.com' },
    ...{ role: 'viewer', name: 'Ada Lovelace', active: true },
  });
});

it.each([
  [[{ op: 'replace', path: 'name.givenName', value: 'Grace' }], { given: 'Grace' }],
  [[{ op: 'Replace', path: 'name.familyName', value: 'Hopper' }], { family: 'Hopper' }],
  [
    [{ op: 'replace', value: { 'name.givenName': 'Grace', 'name.familyName': 'Hopper' } }],
    { given: 'Grace', family: 'Hopper' },
  ],
  [[{ op: 'replace', value: { 'name.familyName': 'Hopper', 'name.honorificPrefix': 'Dr' } }], { family: 'Hopper' }],
  [[{ op: 'replace', value: { name: { familyName: 'Hopper' } } }], { family: 'Hopper' }],
  [[{ op: 'replace', path: 'name', value: { givenName: 'Grace', honorificPrefix: 'Dr' } }], { given: 'Grace' }],
  [
    [
      { op: 'add', path: 'name.givenName', value: 'Grace' },
      { op: 'add', path: 'name.familyName', value: 'Hopper' },
    ],
    { given: 'Grace', family: 'Hopper' },
  ],
])('takes parts of a name: %j', (operations, parts) => {
  expect(patch(...operations)).toEqual({ parts });
});

it('takes a name that is said as a whole, whatever is said of its parts', () => {
  const part = { op: 'replace', path: 'name.givenName', value: 'Grace' };
  for (const path of ['displayName', 'name.formatted']) {
    const whole = { op: 'replace', path, value: 'Hopper, Grace' };
    expect(patch(whole, part)).toEqual({ name: 'Hopper, Grace' });
    expect(patch(part, whole)).toEqual({ name: 'Hopper, Grace' });
    expect(patch({ op: 'replace', value: { [path]: 'Hopper, Grace', 'name.givenName': 'Grace' } })).toEqual({
      name: 'Hopper, Grace',
    });
  }
});

it.each(['name.honorificPrefix', 'name.constructor', 'name.middleName'])('takes nothing of %s', (path) => {
  expect(patch({ op: 'replace', path, value: 7 })).toEqual({});
});

it.each([
  [{ given: 'Grace' }, 'Ada Lovelace', 'Grace Lovelace'],
  [{ family: 'King' }, 'Ada Maria Lovelace', 'Ada Maria King'],
  [{ family: 'King' }, 'Ada', 'Ada King'],
  [{ given: 'Grace' }, 'Ada', 'Grace'],
  [{ given: 'Grace', family: 'Hopper' }, 'Ada Lovelace', 'Grace Hopper'],
  [{ family: '' }, 'Ada Lovelace', 'Ada'],
  [{ given: '', family: '' }, 'Ada Lovelace', ''],
  [{ given: 'Grace', family: 'Hopper' }, '', 'Grace Hopper'],
  [{ given: 'Grace', family: 'Hopper' }, 'Hopper, Grace (Fleet)', 'Hopper, Grace (Fleet)'],
  [{ given: 'Grace', family: 'de la Cruz' }, 'Grace M. de la Cruz', 'Grace M. de la Cruz'],
  [{ given: 'Ann', family: 'Hopper' }, 'Anna Hopper', 'Ann Hopper'],
])('makes of %j in %s %s', (parts, before, after) => {
  expect(withParts(before, parts)).toBe(after);
});

it('leaves nobody without a name, and keeps none that is only what they are known by', () => {
  const userName = 'grace@example.com';
  expect(renamed({ userName, name: 'Grace' }, { given: '' })).toBe('Grace');
  expect(renamed({ userName, name: userName }, { family: 'Hopper' })).toBe('Hopper');
  expect(renamed({ userName, name: userName }, { family: '' })).toBe(userName);
});

it('passes over what is not kept', () => {
  expect(
    patch(
      { op: 'replace', path: 'title', value: 'Countess' },
      { op: 'add', path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department', value: 'x' },
      { op: 'remove', path: 'title' },
    ),
  ).toEqual({});
});

// Entra's mapping of other addresses, and what Okta adds to a list.
it.each([
  { op: 'Add', path: 'emails[type eq "home"].value', value: 'ada@private.example' },
  { op: 'Replace', path: 'emails[type eq "other"]', value: { value: 'ada@private.example' } },
  { op: 'add', path: 'emails', value: [{ type: 'home', value: 'ada@private.example', primary: false }] },
  { op: 'add', path: 'emails', value: [{ type: 'other', value: 'ada@private.example' }] },
  { op: 'replace', value: { 'emails[type eq "other"].value': 'ada@private.example' } },
  { op: 'remove', path: 'emails[type eq "other"]' },
])('lets nobody in by an address beside the one of work: %j', (operation) => {
  expect(patch(operation)).toEqual({});
});

it.each([
  ['emails[primary eq true].value', 'ada@example.com'],
  ['emails[primary eq "True"]', { value: 'ada@example.com' }],
  ['emails', [{ value: 'ada@example.com' }]],
  [
    'emails',
    [
      { type: 'home', value: 'a@private.example' },
      { type: 'work', value: 'ada@example.com' },
    ],
  ],
  ['emails', [{ type: 'other', value: 'ada@example.com', primary: true }]],
])('takes the address of work at %s as %j', (path, value) => {
  expect(patch({ op: 'replace', path, value })).toEqual({ email: 'ada@example.com' });
});

it('forgets an id of elsewhere', () =>
  expect(patch({ op: 'remove', path: 'externalId' })).toEqual({ externalId: null }));

it.each([
  [{}, /Operations/],
  [{ Operations: [] }, /Operations/],
  [{ Operations: [{ op: 'move', path: 'active', value: false }] }, /Operations/],
  [{ Operations: [{ op: 'replace', value: 'active' }] }, /value/],
  [{ Operations: [{ op: 'replace', path: 'active', value: 'perhaps' }] }, /active/],
  [
    {
      Operations: [
        { op: 'replace', path: 'active', value: null },
        { op: 'remove', path: 'active' },
      ],
    },
    /cannot be removed/,
  ],
  [{ Operations: [{ op: 'remove' }] }, /path/],
  [{ Operations: [{ op: 'replace', path: 'roles', value: [{ value: 'owner' }] }] }, /roles/],
  [{ Operations: [{ op: 'replace', path: 'roles', value: [{ value: 'root' }] }] }, /roles/],
])('refuses %j', (body, message) => {
  expect(() => fromScimPatch(body)).toThrow(message);
});
