import { apiKeyDigest, isApiKey } from '@tollgate/contracts';
import { AccountsRig, eventually } from '../testing/accounts-rig';

let rig: AccountsRig;
beforeAll(async () => {
  rig = await AccountsRig.start();
});
afterAll(() => rig.stop());

describe('a key from before the pepper was changed', () => {
  const newPepper = 'the pepper of tomorrow, forty characters';

  it('is found by its former digest, and kept under the new one from then on', async () => {
    const { apiKey, key } = await rig.ask('createKey', { name: 'old' });
    expect(await rig.resolve(apiKey, newPepper)).toBeNull();
    const { version } = await rig.database.apiKey.findUniqueOrThrow({ where: { id: key.id } });
    expect(await rig.resolve(apiKey, newPepper, ['x'.repeat(40), rig.pepper])).toMatchObject({ id: key.id });
    const kept = () => rig.database.apiKey.findUniqueOrThrow({ where: { id: key.id } });
    await eventually(async () => (await kept()).digest === apiKeyDigest(apiKey, newPepper));
    expect(await rig.resolve(apiKey, newPepper)).toMatchObject({ id: key.id });
    expect(await rig.resolve(apiKey)).toBeNull();
    expect((await kept()).version).toBeGreaterThan(version);
  });

  it('is found while many ask for it at once, and by an edge that still goes by the former pepper first', async () => {
    const { apiKey, key } = await rig.ask('createKey', { name: 'busy' });
    const ask = (index: number) =>
      index % 2 === 0 ? rig.resolve(apiKey, newPepper, [rig.pepper]) : rig.resolve(apiKey, rig.pepper, [newPepper]);
    // As many as an instance has connections: who waits for one for a second is told that Postgres is away.
    const answers = await Promise.all(Array.from({ length: 10 }, (_, index) => ask(index)));
    expect(answers.map((one) => one?.id)).toEqual(answers.map(() => key.id));
  });

  it('is not found by digests that are none', async () => {
    const formerDigests = ["' OR 1=1 --", '', 'A'.repeat(64)];
    expect(await rig.ask('resolveKey', { digest: 'x', formerDigests })).toMatchObject({ key: null });
  });
});

describe('a new key', () => {
  it("without an account is the operator's, on the beta plan, and works at once", async () => {
    const { apiKey, key } = await rig.ask('createKey', { name: 'first' });
    expect(isApiKey(apiKey)).toBe(true);
    expect(await rig.resolve(apiKey)).toMatchObject({
      id: key.id,
      keyStatus: 'active',
      accountStatus: 'active',
      plan: 'beta',
      rpm: 60,
      quotaTokens: 1_000_000,
      models: [],
      expiresAt: null,
      operator: true,
    });
  });

  it('takes its limits from its own plan, and its own numbers before that', async () => {
    const request = {
      name: 'load',
      plan: 'enterprise',
      rpm: 100_000,
      quotaTokens: 9_007_199_254_740_991,
      models: ['openai/*'],
    };
    const { apiKey } = await rig.ask('createKey', request);
    expect(await rig.resolve(apiKey)).toMatchObject(request);
    const unlimited = await rig.ask('createKey', { name: 'free', plan: 'beta', rpm: null });
    expect(await rig.resolve(unlimited.apiKey)).toMatchObject({ rpm: null, quotaTokens: 1_000_000 });
  });

  it('stands nowhere in the database, nor does its pepper', async () => {
    const { apiKey } = await rig.ask('createKey', { name: 'secret' });
    const [keys, audit] = [await rig.database.apiKey.findMany(), await rig.database.accountAudit.findMany()];
    const stored = JSON.stringify([keys, audit], (_name, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    );
    expect(stored).not.toContain(apiKey.slice(6, 30));
    expect(stored).not.toContain(rig.pepper);
  });

  it.each([
    ['an unknown plan', { name: 'x', plan: 'gold' }, 'invalid', 'Plans: beta, pro, enterprise'],
    ['a plan that every object has', { name: 'x', plan: 'constructor' }, 'invalid', 'Plans: '],
    ['an unknown account', { name: 'x', email: 'nobody@example.com' }, 'not_found', 'nobody@example.com'],
    ['an id that is none', { name: 'x', accountId: "1' OR '1'='1" }, 'not_found', 'There is no account'],
    ['a time that has passed', { name: 'x', expiresAt: 1 }, 'invalid', 'expiresAt'],
    ['an empty name', { name: '' }, 'invalid', 'name'],
    ['a NUL in its name', { name: 'a\0b' }, 'invalid', 'name'],
    ['half a character in its name', { name: 'a\ud800' }, 'invalid', 'name'],
    ['half a character in a pattern', { name: 'x', models: ['\udc00'] }, 'invalid', 'models'],
    ['a NUL in a pattern', { name: 'x', models: ['a\0'] }, 'invalid', 'models'],
  ])('with %s is refused in plain words, and nothing is made', async (_what, request, code, words) => {
    const before = await rig.database.apiKey.count();
    await expect(rig.ask('createKey', request)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(words),
    });
    expect(await rig.database.apiKey.count()).toBe(before);
  });

  it.each(["Robert'); DROP TABLE api_key; --", '" OR ""="', '%_\\', '${1}', '\u202e\u0007', '🙂'.repeat(25)])(
    'may have the name %j, which stays just a name',
    async (name) => {
      const { key } = await rig.ask('createKey', { name });
      const { keys } = await rig.ask('listKeys', { limit: 1 });
      expect(keys).toEqual([key]);
      expect(key.name).toBe(name);
    },
  );
});

it('is known for that of an administrator, and edges hear of it as soon as the role changes', async () => {
  const person = { name: 'Grace', email: 'keyed@example.com', password: 'correct horse battery staple', purpose: 'x' };
  const signedUp = await rig.ask('signUp', { ...person, address: '192.0.2.7', userAgent: 'spec' });
  if (signedUp.outcome !== 'opened') throw new Error(signedUp.outcome);
  const { id: account } = signedUp.session.account;
  await rig.ask('setAccountStatus', { account, status: 'active' });
  const other = await rig.ask('signUp', {
    ...person,
    email: 'stays@example.com',
    address: '192.0.2.8',
    userAgent: 'spec',
  });
  if (other.outcome !== 'opened') throw new Error(other.outcome);
  await rig.ask('setAccountStatus', { account: other.session.account.id, status: 'active' });
  await rig.ask('setRole', { account: other.session.account.id, role: 'administrator', actor: 'spec' });

  const { apiKey } = await rig.ask('createKey', { name: 'mine', accountId: account });
  expect((await rig.resolve(apiKey))?.operator).toBeUndefined();
  for (const [role, operator] of [
    ['administrator', true],
    ['user', undefined],
  ] as const) {
    const { version = 0 } = (await rig.resolve(apiKey)) ?? {};
    await rig.ask('setRole', { account, role, actor: 'spec' });
    const after = await rig.resolve(apiKey);
    expect(after?.operator).toBe(operator);
    expect(after?.version).toBeGreaterThan(version);
    await eventually(async () => rig.changes.some(({ key }) => key?.version === after?.version));
  }
});

describe('a key that nobody made', () => {
  it.each([
    ['another digest', 'a'.repeat(64)],
    ['SQL', "' OR '1'='1"],
    ['NUL', '\0'],
    ['nothing', ''],
    ['64 KiB', 'f'.repeat(65_536)],
  ])('is none: %s', async (_what, digest) => {
    expect(await rig.ask('resolveKey', { digest })).toEqual({ key: null, revision: expect.any(Number) });
  });

  it('is none when its digest was made under another pepper', async () => {
    const { apiKey } = await rig.ask('createKey', { name: 'peppered' });
    const digest = apiKeyDigest(apiKey, 'another pepper of more than 32 characters');
    expect((await rig.ask('resolveKey', { digest })).key).toBeNull();
    expect(await rig.resolve(apiKey)).not.toBeNull();
  });
});

describe('a revoked key', () => {
  it('is told as revoked, and stays so', async () => {
    const { apiKey, key } = await rig.ask('createKey', { name: 'leaver' });
    const { key: revoked } = await rig.ask('revokeKey', { keyId: key.id });
    expect(revoked.keyStatus).toBe('revoked');
    expect(await rig.resolve(apiKey)).toMatchObject({ keyStatus: 'revoked', version: revoked.version });
    expect(await rig.ask('revokeKey', { keyId: key.id })).toEqual({ key: revoked });
    await expect(rig.ask('rotateKey', { keyId: key.id, overlapS: 60 })).rejects.toMatchObject({ code: 'conflict' });
  });

  it.each(['none', "' OR 1=1 --", '00000000-0000-0000-0000-000000000000', '\0'])(
    'is not found by the id %j',
    async (keyId) => {
      await expect(rig.ask('revokeKey', { keyId })).rejects.toMatchObject({ code: 'not_found' });
    },
  );
});

describe('rotation', () => {
  it('makes a key with the same settings, while the old one goes on until the overlap ends', async () => {
    const switches = { logContent: true, tellCost: true, tags: ['team=search'], project: 'web' };
    const settings = { plan: 'pro', rpm: 7, quotaTokens: null, models: ['a/*'], cacheTtlS: 600, ...switches };
    const old = await rig.ask('createKey', { name: 'rotated', ...settings });
    const begin = Date.now();
    const reply = await rig.ask('rotateKey', { keyId: old.key.id, overlapS: 3_600 });
    expect(reply.key.id).not.toBe(old.key.id);
    expect(await rig.resolve(reply.apiKey)).toMatchObject({ name: 'rotated', ...settings, expiresAt: null });
    const oldNow = await rig.resolve(old.apiKey);
    expect(oldNow).toMatchObject({ keyStatus: 'active', ...settings });
    expect(oldNow?.expiresAt).toBeGreaterThanOrEqual(begin + 3_600_000);
    expect(oldNow?.expiresAt).toBeLessThanOrEqual(Date.now() + 3_600_000);
  });

  it('never lets the old key live longer than it would have', async () => {
    const expiresAt = Date.now() + 60_000;
    const { key } = await rig.ask('createKey', { name: 'short', expiresAt });
    expect((await rig.ask('rotateKey', { keyId: key.id, overlapS: 86_400 })).oldKey.expiresAt).toBe(expiresAt);
  });

  it('without overlap stops the old key at once, whatever the clocks say', async () => {
    const { apiKey, key } = await rig.ask('createKey', { name: 'leaked' });
    const reply = await rig.ask('rotateKey', { keyId: key.id, overlapS: 0 });
    expect(await rig.resolve(apiKey)).toMatchObject({ keyStatus: 'revoked' });
    expect(await rig.resolve(reply.apiKey)).toMatchObject({ keyStatus: 'active' });
  });

  it('of a key that has expired is refused', async () => {
    const { key } = await rig.ask('createKey', { name: 'gone', expiresAt: Date.now() + 60_000 });
    await rig.database.apiKey.update({ where: { id: key.id }, data: { expiresAt: new Date(1) } });
    await expect(rig.ask('rotateKey', { keyId: key.id, overlapS: 60 })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('has expired'),
    });
  });
});

describe('the list of keys', () => {
  it('gives every key once, the newest first, over pages, also of one account', async () => {
    const account = await rig.activeAccount('lists@example.com');
    const made: string[] = [];
    for (let i = 0; i < 5; i++)
      made.unshift((await rig.ask('createKey', { accountId: account.id, name: `k${i}` })).key.id);
    const listed: string[] = [];
    let after: string | undefined;
    do {
      const page = await rig.ask('listKeys', { accountId: account.id, limit: 2, after });
      listed.push(...page.keys.map(({ id }) => id));
      after = page.next ?? undefined;
    } while (after !== undefined);
    expect(listed).toEqual(made);
  });

  it('gives those alone that work and end by a time', async () => {
    const account = await rig.activeAccount('ends@example.com');
    const day = 86_400_000;
    const ending = (name: string, inDays: number) =>
      rig.ask('createKey', { accountId: account.id, name, expiresAt: Date.now() + inDays * day });
    await rig.ask('createKey', { accountId: account.id, name: 'never' });
    await ending('late', 30);
    await ending('soon', 3);
    const revoked = await ending('revoked', 3);
    await rig.ask('revokeKey', { keyId: revoked.key.id });
    const { keys } = await rig.ask('listKeys', { accountId: account.id, endsBy: Date.now() + 14 * day });
    expect(keys.map(({ name }) => name)).toEqual(['soon']);
  });

  it('gives those alone that work and were made by a time', async () => {
    const account = await rig.activeAccount('made@example.com');
    const make = (name: string) => rig.ask('createKey', { accountId: account.id, name });
    const { key } = await make('old');
    await rig.ask('revokeKey', { keyId: (await make('revoked')).key.id });
    const madeBy = async (at: number) => (await rig.ask('listKeys', { accountId: account.id, madeBy: at })).keys;
    expect(await madeBy(key.createdAt - 1)).toEqual([]);
    expect((await madeBy(Date.now() + 60_000)).map(({ name }) => name)).toEqual(['old']);
  });

  it('never shows a key or a digest', async () => {
    const { apiKey } = await rig.ask('createKey', { name: 'hidden' });
    const text = JSON.stringify(await rig.ask('listKeys', { limit: 500 }));
    expect(text).not.toContain(apiKey);
    expect(text).not.toContain('digest');
    expect(text).toContain(apiKey.slice(-4));
  });

  it.each([{ after: 'x' }, { after: "'; --" }, { accountId: 'x' }])('refuses %j', async (request) => {
    await expect(rig.ask('listKeys', request)).rejects.toMatchObject({ code: 'invalid' });
  });
});

describe('the limits a minute of a key', () => {
  it('are set with it and changed, go on with its successor, and are told in the audit log', async () => {
    const modelLimits = [{ model: 'openai/*', rpm: 6, tpm: null }];
    const { apiKey, key } = await rig.ask('createKey', { name: 'minutes', tpm: 5_000, modelLimits });
    expect(key.ownLimits).toEqual({ rpm: 'plan', tpm: 5_000, quotaTokens: 'plan', modelLimits });
    expect(await rig.resolve(apiKey)).toMatchObject({ tpm: 5_000, modelLimits });
    const { key: next } = await rig.ask('rotateKey', { keyId: key.id, overlapS: 60 });
    expect(next).toMatchObject({ tpm: 5_000, modelLimits });
    const lower = [{ model: 'openai/*', rpm: 6, tpm: 900 }];
    await rig.ask('updateKey', { keyId: key.id, tpm: 0, modelLimits: lower });
    expect(await rig.resolve(apiKey)).toMatchObject({ tpm: 0, modelLimits: lower });
    await rig.ask('updateKey', { keyId: key.id, tpm: 'plan', modelLimits: [] });
    expect(await rig.resolve(apiKey)).toMatchObject({ tpm: null, modelLimits: [] });
    const { lines } = await rig.ask('listAudit', { query: 'minutes', action: 'key-changed' });
    expect(lines.find(({ keyId, detail }) => keyId === key.id && detail.tpm === 0)?.detail).toMatchObject({
      tpmBefore: 5_000,
      modelLimits: ['openai/*: rpm=6, tpm=900'],
      modelLimitsBefore: ['openai/*: rpm=6, tpm=unlimited'],
    });
    const nothing = { model: 'a', rpm: null, tpm: null };
    for (const wrong of [{ tpm: -1 }, { modelLimits: [nothing] }, { modelLimits: [...lower, ...modelLimits] }])
      await expect(rig.ask('updateKey', { keyId: key.id, ...wrong })).rejects.toMatchObject({ code: 'invalid' });
  });
});

describe('a change of a key', () => {
  it('sets limits, plan, models and expiry, leaves the rest, and tells edges', async () => {
    const { email, id } = await rig.activeAccount('changed-keys@example.com', 'pro');
    const { apiKey, key } = await rig.ask('createKey', { email, name: 'x', rpm: 5, models: ['openai/*'] });
    await rig.ask('updateKey', {
      keyId: key.id,
      quotaTokens: null,
      cacheTtlS: 60,
      logContent: true,
      actor: 'root@example.com',
    });
    expect(await rig.resolve(apiKey)).toMatchObject({
      rpm: 5,
      quotaTokens: null,
      cacheTtlS: 60,
      logContent: true,
      plan: 'pro',
    });
    const expiresAt = Date.now() + 60_000;
    await rig.ask('updateKey', { keyId: key.id, rpm: 'plan', quotaTokens: 0, models: [], plan: 'beta', expiresAt });
    expect(await rig.resolve(apiKey)).toMatchObject({ rpm: 60, quotaTokens: 0, models: [], plan: 'beta', expiresAt });
    await eventually(() =>
      rig.changes.some((change) => change.key?.id === key.id && change.key.expiresAt === expiresAt),
    );
    await rig.ask('updateKey', { keyId: key.id, plan: null, cacheTtlS: null, expiresAt: null });
    expect(await rig.resolve(apiKey)).toMatchObject({ plan: 'pro', cacheTtlS: null, expiresAt: null });
    const { lines } = await rig.ask('listAudit', { accountId: id });
    const found = async (query: string, action?: string) =>
      (await rig.ask('listAudit', { query, action, limit: 500 })).lines.filter((line) => line.keyId === key.id);
    expect((await found(key.name, 'key-changed')).length).toBeGreaterThan(1);
    expect(await found('ROOT@example', 'key-changed')).toHaveLength(1);
    expect(await found('nobody has this name')).toEqual([]);
    const names = await rig.ask('names', { keyIds: [key.id, 'no id'], accountIds: [id] });
    expect(names).toEqual({ keys: { [key.id]: key.name }, accounts: { [id]: expect.any(String) } });
    expect(lines.find(({ actor }) => actor === 'root@example.com')).toMatchObject({
      action: 'key-changed',
      keyId: key.id,
      detail: { rpm: 5, quotaTokensBefore: null, quotaTokens: 'unlimited' },
    });
  });

  it('renames it, which edges and the audit log are told', async () => {
    const { apiKey, key } = await rig.ask('createKey', { name: 'x', rpm: 5 });
    expect((await rig.ask('updateKey', { keyId: key.id, name: ' Deploys ' })).key).toMatchObject({ name: 'Deploys' });
    expect(await rig.resolve(apiKey)).toMatchObject({ name: 'Deploys', rpm: 5 });
    await eventually(() => rig.changes.some((change) => change.key?.id === key.id && change.key.name === 'Deploys'));
    expect((await rig.ask('names', { keyIds: [key.id], accountIds: [] })).keys).toEqual({ [key.id]: 'Deploys' });
    const [line] = (await rig.ask('listAudit', { query: 'Deploys', action: 'key-changed' })).lines;
    expect(line?.detail).toMatchObject({ name: 'Deploys', nameBefore: 'x', rpm: 5, rpmBefore: 5 });
    for (const name of ['', ' ', 'x'.repeat(101)])
      await expect(rig.ask('updateKey', { keyId: key.id, name })).rejects.toMatchObject({ code: 'invalid' });
  });

  it('is refused for a revoked key, an unknown plan, and a time that has passed', async () => {
    const { key } = await rig.ask('createKey', { name: 'x' });
    const change = (what: object) => rig.ask('updateKey', { keyId: key.id, ...what });
    await expect(change({ plan: 'gold' })).rejects.toMatchObject({ code: 'invalid' });
    await expect(change({ expiresAt: 1 })).rejects.toMatchObject({ code: 'invalid' });
    await rig.ask('revokeKey', { keyId: key.id });
    await expect(change({ rpm: 1 })).rejects.toMatchObject({ code: 'conflict' });
  });
});

describe('a key of another account', () => {
  it('is not found by who names an account', async () => {
    const { email, id: accountId } = await rig.activeAccount('owner@example.com');
    const other = await rig.activeAccount('stranger@example.com');
    const { apiKey, key } = await rig.ask('createKey', { email, name: 'x' });
    const asStranger = { keyId: key.id, accountId: other.id };
    const asked = [
      rig.ask('rotateKey', { ...asStranger, overlapS: 0 }),
      rig.ask('revokeKey', asStranger),
      rig.ask('updateKey', { ...asStranger, rpm: 1 }),
      rig.ask('keyDigest', asStranger),
    ];
    for (const one of asked) await expect(one).rejects.toMatchObject({ code: 'not_found' });
    const { digest } = await rig.ask('keyDigest', { keyId: key.id, accountId });
    expect(digest).toBe(apiKeyDigest(apiKey, rig.pepper));
  });
});
