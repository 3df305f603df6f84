import { presentedKeyDigest, operation } from '@tollgate/contracts';
import {
  aboutOwnKey,
  accountsOperations,
  accountsSubjects,
  callerKey,
  mostOwnKeyCharacters,
} from '@tollgate/contracts/accounts';
import { ControlClient, subscribeJson } from '@tollgate/messaging';
import { createLogger } from '@tollgate/observability';
import { OpeningKey, sealFor, sealOwnKey } from '@tollgate/sealing';
import { patience } from '@tollgate/testing';
import { z } from 'zod';
import { AccountsRig, eventually } from '../testing/accounts-rig';

const opening = new OpeningKey('a key-encryption key, 32 characters');
const baseUrl = 'https://api.acme.example/v1';
/** What catalog tells. */
let taking: ReturnType<typeof takingOf> & { declining?: { id: string; why: string }[] } = takingOf(opening);
let rig: AccountsRig;

beforeAll(async () => {
  rig = await AccountsRig.start();
  await rig.tellTaking(() => taking);
});
afterAll(() => rig?.stop());
beforeEach(async () => {
  taking = takingOf(opening);
  await rig.database.ownKey.deleteMany();
  await rig.database.projectOwnKey.deleteMany();
});

/** Told while every inference instance has this key-encryption key alone. */
function takingOf({ public: sealing }: OpeningKey) {
  return { sealing, opens: [sealing.id], providers: [{ id: 'acme', name: 'Acme', baseUrl }] };
}

/** Counts the statements that change own keys from now on. */
async function countUpdates(): Promise<() => Promise<number>> {
  const { database } = rig;
  await database.$executeRaw`CREATE SEQUENCE own_key_updates MINVALUE 0`;
  await database.$executeRaw`SELECT nextval('own_key_updates')`;
  await database.$executeRaw`
    CREATE FUNCTION count_own_key_update() RETURNS trigger LANGUAGE plpgsql
    AS 'BEGIN PERFORM nextval(''own_key_updates''); RETURN NULL; END'`;
  await database.$executeRaw`
    CREATE TRIGGER count_own_key_update AFTER UPDATE ON own_key EXECUTE FUNCTION count_own_key_update()`;
  return async () => {
    const [row] = await database.$queryRaw<{ updates: bigint }[]>`SELECT last_value AS updates FROM own_key_updates`;
    return Number(row?.updates);
  };
}

/** As an edge of a release without own keys reads what it is told of a key. */
const formerNotice = z.object({ key: callerKey.omit({ ownKeys: true }) });
const { subject, request } = accountsOperations.resolveKey;
const formerResolve = operation(subject, request, formerNotice);

const sealed = (accountId: string, key: string) => sealOwnKey(accountId, 'acme', key, { ...taking, baseUrl });
const toldOfKey = (id: string) => rig.changes.findLast(({ key }) => key?.id === id)?.key;

it('is told edges with each key of the account, sealed, when it is set, replaced and removed, and with no other', async () => {
  const { id: account } = await rig.activeAccount('ada@own.example');
  const other = await rig.activeAccount('bob@own.example');
  const [first, second] = await Promise.all(
    ['first', 'second'].map((name) => rig.ask('createKey', { accountId: account, name })),
  );
  const strangers = await rig.ask('createKey', { accountId: other.id, name: 'stranger' });
  for (const key of ['canary-own-key-1', 'canary-own-key-2']) {
    const box = sealed(account, key);
    await rig.ask('setOwnKey', { account: 'Ada@own.example', provider: 'acme', ...box, actor: 'ada' });
    for (const made of [first, second]) {
      await eventually(() => toldOfKey(made?.key.id ?? '')?.ownKeys?.['acme'] === box.sealed);
      expect((await rig.resolve(made?.apiKey ?? ''))?.ownKeys).toEqual({ acme: box.sealed });
    }
  }
  expect(await rig.resolve(strangers.apiKey)).not.toHaveProperty('ownKeys');
  const [listed] = (await rig.ask('listKeys', { accountId: account })).keys;
  expect(listed).toMatchObject({ ownKeyProviders: ['acme'] });
  expect(listed).not.toHaveProperty('ownKeys');
  const { keys, accountId } = await rig.ask('listOwnKeys', { account });
  expect(accountId).toBe(account);
  expect(keys).toEqual([
    {
      ...{ provider: 'acme', lastFour: 'ey-2', setAt: expect.any(Number), setBy: 'ada', problem: null },
      fallsBack: false,
    },
  ]);
  await rig.ask('removeOwnKey', { account, provider: 'acme', actor: 'ada' });
  await eventually(() => toldOfKey(first?.key.id ?? '')?.ownKeys === undefined);
  expect(await rig.resolve(second?.apiKey ?? '')).not.toHaveProperty('ownKeys');
  const lines = await rig.database.accountAudit.findMany({
    where: { accountId: account, action: { startsWith: 'own-key' } },
  });
  expect(lines.map(({ actor, action, detail }) => [actor, action, detail])).toEqual([
    ['ada', 'own-key-set', { provider: 'acme', replaced: false, fallsBack: false }],
    ['ada', 'own-key-set', { provider: 'acme', replaced: true, fallsBack: false }],
    ['ada', 'own-key-removed', { provider: 'acme' }],
  ]);
});

it('stands for a project in the place of that of the account, for as long as it is there', async () => {
  const { id: account } = await rig.activeAccount('hal@own.example');
  const named = { accountId: account, project: 'checkout' };
  const inside = await rig.ask('createKey', { ...named, name: 'inside' });
  const outside = await rig.ask('createKey', { accountId: account, name: 'outside' });
  const boxes = { whole: sealed(account, 'canary-of-all'), part: sealed(account, 'canary-of-checkout') };
  const asked = { account, provider: 'acme' };
  const ofCheckout = { ...asked, project: 'checkout' };
  const keysOf = async ({ apiKey }: { apiKey: string }) => (await rig.resolve(apiKey))?.ownKeys;
  await rig.ask('setProjectOwnKey', { ...ofCheckout, ...boxes.part, actor: 'hal' });
  await eventually(() => toldOfKey(inside.key.id)?.ownKeys?.['acme'] === boxes.part.sealed);
  expect([await keysOf(inside), await keysOf(outside)]).toEqual([{ acme: boxes.part.sealed }, undefined]);
  await rig.ask('setOwnKey', { ...asked, ...boxes.whole });
  expect([await keysOf(inside), await keysOf(outside)]).toEqual([
    { acme: boxes.part.sealed },
    { acme: boxes.whole.sealed },
  ]);
  const { keys, projectKeys } = await rig.ask('listOwnKeys', { account });
  expect([keys.length, projectKeys]).toEqual([
    1,
    [expect.objectContaining({ provider: 'acme', project: 'checkout', setBy: 'hal', problem: null })],
  ]);
  await rig.ask('updateKey', { keyId: outside.key.id, project: 'checkout' });
  expect(await keysOf(outside)).toEqual({ acme: boxes.part.sealed });
  await rig.ask('removeProjectOwnKey', ofCheckout);
  await eventually(() => toldOfKey(inside.key.id)?.ownKeys?.['acme'] === boxes.whole.sealed);
  for (const key of [inside, outside]) expect(await keysOf(key)).toEqual({ acme: boxes.whole.sealed });
  await expect(rig.ask('removeProjectOwnKey', ofCheckout)).rejects.toMatchObject({ code: 'not_found' });
  const misspelt = { ...ofCheckout, ...boxes.part, project: 'chekout' };
  await expect(rig.ask('setProjectOwnKey', misspelt)).rejects.toMatchObject({ code: 'not_found' });
  await expect(rig.ask('setProjectOwnKey', { ...misspelt, project: 'checkout', by: 'nobody' })).rejects.toMatchObject({
    code: 'forbidden',
  });
  const rows = Array.from({ length: 50 }, (_, number) => ({
    ...{ accountId: account, project: 'checkout', provider: `p${number}`, baseUrl, sealed: 'x' },
    ...{ setAt: new Date(), setBy: 'hal' },
  }));
  await rig.database.projectOwnKey.createMany({ data: rows });
  await expect(rig.ask('setProjectOwnKey', { ...ofCheckout, ...boxes.part })).rejects.toMatchObject({
    code: 'invalid',
  });
});

it('falls back where that is chosen, off by default, and as chosen when it is replaced, for a project by itself', async () => {
  const { id: account } = await rig.activeAccount('joy@own.example');
  const named = { accountId: account, project: 'checkout' };
  const inside = await rig.ask('createKey', { ...named, name: 'inside' });
  const outside = await rig.ask('createKey', { accountId: account, name: 'outside' });
  const chosen = async () => {
    const told = await Promise.all([outside, inside].map(({ apiKey }) => rig.resolve(apiKey)));
    return told.map((key) => key?.ownKeysFallBack);
  };
  const asked = { account, provider: 'acme' };
  const ofCheckout = { ...asked, project: 'checkout' };
  const box = () => sealed(account, `canary-${crypto.randomUUID()}`);
  expect((await rig.ask('setOwnKey', { ...asked, ...box() })).key.fallsBack).toBe(false);
  expect(await chosen()).toEqual([undefined, undefined]);
  expect((await rig.ask('setOwnKey', { ...asked, ...box(), fallsBack: true })).key.fallsBack).toBe(true);
  expect(await chosen()).toEqual([['acme'], ['acme']]);
  expect((await rig.ask('setOwnKey', { ...asked, ...box() })).key.fallsBack).toBe(true);
  // That of the project stands in the place of the other one, with its own choice.
  await rig.ask('setProjectOwnKey', { ...ofCheckout, ...box() });
  expect(await chosen()).toEqual([['acme'], undefined]);
  const changed = await rig.ask('changeProjectOwnKey', { ...ofCheckout, fallsBack: true, actor: 'joy' });
  expect(changed.key).toMatchObject({ project: 'checkout', fallsBack: true });
  expect((await rig.ask('changeOwnKey', { ...asked, fallsBack: false })).key).toMatchObject({ fallsBack: false });
  expect(await chosen()).toEqual([undefined, ['acme']]);
  await eventually(() => toldOfKey(inside.key.id)?.ownKeysFallBack?.includes('acme') === true);
  await rig.ask('setProjectOwnKey', { ...ofCheckout, ...box() });
  expect(await chosen()).toEqual([undefined, ['acme']]);
  const { keys, projectKeys } = await rig.ask('listOwnKeys', { account });
  expect([keys[0]?.fallsBack, projectKeys[0]?.fallsBack]).toEqual([false, true]);
  const [last] = await rig.database.accountAudit.findMany({
    where: { accountId: account, action: 'own-key-changed' },
    orderBy: { id: 'asc' },
  });
  expect([last?.actor, last?.detail]).toEqual(['joy', { provider: 'acme', project: 'checkout', fallsBack: true }]);
  await expect(rig.ask('changeOwnKey', { ...asked, provider: 'none', fallsBack: true })).rejects.toMatchObject({
    code: 'not_found',
  });
  await expect(rig.ask('changeOwnKey', { ...asked, fallsBack: true, by: 'nobody' })).rejects.toMatchObject({
    code: 'forbidden',
  });
  expect((await rig.ask('getKey', { keyId: inside.key.id })).key).not.toHaveProperty('ownKeysFallBack');
});

it('leaves the account’s API keys no place for a generation at edges that do not know of it', async () => {
  const { id: account } = await rig.activeAccount('fay@own.example');
  const { apiKey, key } = await rig.ask('createKey', { accountId: account, name: 'hers' });
  const { concurrency } = (await rig.resolve(apiKey)) ?? {};
  const heard: z.output<typeof formerNotice>[] = [];
  const logger = createLogger('spec', 'silent');
  subscribeJson(rig.connection, accountsSubjects.keyChanged, formerNotice, (told) => void heard.push(told), logger);
  await rig.connection.flush();
  await rig.ask('setOwnKey', { account, provider: 'acme', ...sealed(account, 'canary-own-key-5') });
  await eventually(() => toldOfKey(key.id)?.ownKeys !== undefined);
  expect(toldOfKey(key.id)).toMatchObject({ concurrency });
  expect(await rig.resolve(apiKey)).toMatchObject({ concurrency });
  expect((await rig.ask('getKey', { keyId: key.id })).key).toMatchObject({ concurrency });
  const asked = { digest: presentedKeyDigest(apiKey, rig.pepper) };
  const former = await new ControlClient(rig.connection).call(formerResolve, asked, { timeoutMs: 2_000 * patience });
  expect(former).toMatchObject({ key: { concurrency: 0 } });
  await eventually(() => heard.findLast((told) => told.key.id === key.id)?.key.concurrency === 0);
});

it('is not kept where no request could go with it, and says what became of one that is', async () => {
  const { id: account } = await rig.activeAccount('cyd@own.example');
  const box = sealed(account, 'canary-own-key-3');
  const asked = { account, provider: 'acme', ...box };
  const another = sealOwnKey(account, 'acme', 'key', { sealing: new OpeningKey('another one').public, baseUrl });
  for (const wrong of [{ provider: 'none' }, { baseUrl: 'https://evil.example/v1' }, { sealed: another.sealed }])
    await expect(rig.ask('setOwnKey', { ...asked, ...wrong })).rejects.toMatchObject({ code: 'invalid' });
  // Each API key of the account tells every edge of it.
  const long = sealed(account, 'x'.repeat(mostOwnKeyCharacters + 1_000));
  await expect(rig.ask('setOwnKey', { ...asked, ...long })).rejects.toMatchObject({ code: 'invalid' });
  await expect(rig.ask('setOwnKey', { ...asked, account: 'nobody' })).rejects.toMatchObject({ code: 'not_found' });
  await expect(rig.ask('removeOwnKey', { account, provider: 'acme' })).rejects.toMatchObject({ code: 'not_found' });
  await rig.ask('setOwnKey', { ...asked, ...sealed(account, 'x'.repeat(mostOwnKeyCharacters)) });
  await rig.ask('setOwnKey', asked);
  const problem = async () => (await rig.ask('listOwnKeys', { account })).keys[0]?.problem;
  taking = { ...taking, providers: [{ id: 'acme', name: 'Acme', baseUrl: 'https://moved.example' }] };
  expect(await problem()).toContain('https://moved.example now');
  const declining = [{ id: 'acme', why: 'it needs no key' }];
  taking = { ...taking, providers: [], declining };
  await expect(rig.ask('setOwnKey', asked)).rejects.toThrow('acme takes no keys of accounts here: it needs no key.');
  expect(await problem()).toContain('does not reach');
});

describe('after the key-encryption key was changed', () => {
  const newest = new OpeningKey('another key-encryption key, 32 letters');

  it('is told page by page, kept where it was sealed again, and told edges; what cannot be opened says so', async () => {
    const { id: account, email } = await rig.activeAccount('gus@own.example');
    const { apiKey } = await rig.ask('createKey', { accountId: account, name: 'his' });
    const provider = (number: number) => `p${String(number).padStart(3, '0')}`;
    const stranger = new OpeningKey('a key-encryption key that is gone, alas');
    const row = (number: number) => ({
      ...{ accountId: account, provider: provider(number), setAt: new Date(), setBy: 'gus' },
      ...sealOwnKey(account, provider(number), 'sk-own', {
        sealing: (number === 7 ? stranger : opening).public,
        baseUrl,
      }),
      lastFour: null,
    });
    await rig.database.ownKey.createMany({ data: Array.from({ length: 24 }, (_, number) => row(number)) });
    const sealing = newest.public.id;
    const first = await rig.ask('formerOwnKeys', { sealing, after: null });
    expect([first.keys.length, first.next]).toEqual([20, { accountId: account, provider: provider(19), project: '' }]);
    expect(first.keys[7]).toMatchObject({ account: email, accountId: account, provider: provider(7), baseUrl });
    const rest = await rig.ask('formerOwnKeys', { sealing, after: first.next });
    expect([rest.keys.length, rest.next]).toEqual([4, null]);
    const again = ({ provider: of, sealed: before }: (typeof rest.keys)[number]) => {
      const about = aboutOwnKey(account, of, baseUrl);
      const key = opening.fits(before) ? opening.open(before, about) : null;
      return key === null
        ? []
        : [{ accountId: account, provider: of, before, sealed: sealFor(newest.public, key, about) }];
    };
    const updates = await countUpdates();
    expect(await rig.ask('keepOwnKeys', { keys: first.keys.flatMap(again) })).toEqual({ kept: 19 });
    // All other changes of keys wait for it, and a hundred ways to Postgres may be longer than a transaction.
    expect(await updates()).toBe(1);
    const [replaced, ...others] = rest.keys.flatMap(again);
    // One that was replaced meanwhile stays as it is then.
    await rig.database.ownKey.updateMany({
      where: { provider: replaced?.provider ?? '' },
      data: { sealed: 'another' },
    });
    expect(await rig.ask('keepOwnKeys', { keys: [...others, ...(replaced ? [replaced] : [])] })).toEqual({ kept: 3 });
    const versions = () => rig.database.apiKey.findMany({ where: { accountId: account }, select: { version: true } });
    const untouched = await versions();
    expect(await rig.ask('keepOwnKeys', { keys: others })).toEqual({ kept: 0 });
    expect(await versions()).toEqual(untouched);
    const { ownKeys = {} } = (await rig.resolve(apiKey)) ?? {};
    expect(Object.values(ownKeys).filter((box) => box.startsWith(`${sealing}.`))).toHaveLength(22);
    const box = ownKeys[provider(23)] ?? '';
    expect(newest.open(box, aboutOwnKey(account, provider(23), baseUrl))).toBe('sk-own');
    const takers = [7, 8].map((number) => ({ id: provider(number), name: 'P', baseUrl }));
    const problems = async () => {
      const { keys } = await rig.ask('listOwnKeys', { account });
      return [7, 8].map((number) => keys[number]?.problem);
    };
    taking = { ...takingOf(newest), providers: takers };
    expect(await problems()).toEqual([expect.stringContaining('cannot open the key any more'), null]);
  });
});

it('is sealed again where it is of a project, too, behind those of accounts, and told to who knows of such alone', async () => {
  const { id: account } = await rig.activeAccount('ida@own.example');
  const box = sealed(account, 'sk-own');
  const row = { accountId: account, provider: 'acme', setAt: new Date(), setBy: 'ida', ...box };
  const { apiKey } = await rig.ask('createKey', { accountId: account, name: 'hers', project: 'checkout' });
  await rig.database.ownKey.create({ data: row });
  await rig.database.projectOwnKey.create({ data: { ...row, project: 'checkout' } });
  const asked = { sealing: 'another', after: null };
  expect((await rig.ask('formerOwnKeys', asked)).keys).toMatchObject([{ provider: 'acme', project: '' }]);
  const { keys, next } = await rig.ask('formerOwnKeys', { ...asked, projects: true });
  expect([keys, next]).toMatchObject([[{ project: '' }, { project: 'checkout', sealed: box.sealed }], null]);
  const after = { accountId: account, provider: 'acme' };
  expect((await rig.ask('formerOwnKeys', { ...asked, after, projects: true })).keys).toMatchObject([
    { account: 'ida@own.example', project: 'checkout' },
  ]);
  const again = { ...after, project: 'checkout', before: box.sealed, sealed: 'another.box' };
  expect(await rig.ask('keepOwnKeys', { keys: [again] })).toEqual({ kept: 1 });
  expect((await rig.resolve(apiKey))?.ownKeys).toEqual({ acme: 'another.box' });
  expect(await rig.database.ownKey.count({ where: { sealed: box.sealed } })).toBe(1);
});

it('is brought by owners and administrators of the account alone, whatever they were when they were asked', async () => {
  const { id: account } = await rig.activeAccount('dan@own.example');
  const { id: elsewhere } = await rig.activeAccount('eve@own.example');
  const person = async (accountId: string, accountRole: 'owner' | 'developer') => {
    const email = `${accountRole}-${accountId}@own.example`;
    const { id } = await rig.database.person.create({
      data: { id: crypto.randomUUID(), accountId, email, name: email, accountRole, role: 'user' },
    });
    return id;
  };
  const asked = { account, provider: 'acme', ...sealed(account, 'canary-own-key-4') };
  const others = [await person(account, 'developer'), await person(elsewhere, 'owner'), 'nobody'];
  for (const by of others) {
    await expect(rig.ask('setOwnKey', { ...asked, by })).rejects.toMatchObject({ code: 'forbidden' });
    await expect(rig.ask('removeOwnKey', { account, provider: 'acme', by })).rejects.toMatchObject({
      code: 'forbidden',
    });
  }
  await rig.ask('setOwnKey', { ...asked, by: await person(account, 'owner') });
});
