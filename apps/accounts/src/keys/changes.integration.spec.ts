import { patience } from '@tollgate/testing';
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apiKeyDigest } from '@tollgate/contracts';
import { planOperations } from '@tollgate/contracts/catalog';
import { serveOperation } from '@tollgate/messaging';
import { createLogger } from '@tollgate/observability';
import type { z } from 'zod';
import { AccountsRig, eventually } from '../testing/accounts-rig';

let rig: AccountsRig;
/** The revision before a test began, of which none here is told any more. */
let before = 0;

/** Servers and a first instance of accounts for the tests of a block: for all of them, or for each. */
function withRig(first: (start: () => Promise<void>) => void, last: (stop: () => Promise<void>) => void): void {
  first(async () => {
    rig = await AccountsRig.start();
    before = 0;
  });
  beforeEach(() => {
    before = rig.changes.at(-1)?.revision ?? before;
    rig.changes.length = 0;
  });
  last(() => rig.stop());
}

/** The revisions that edges were told since the test began, counted from 1, in the order they came. */
function revisions(): number[] {
  return rig.changes.map(({ revision }) => revision - before);
}

function upTo(last: number): number[] {
  return Array.from({ length: last }, (_, i) => i + 1);
}

describe('the word to edges', () => {
  withRig(beforeAll, afterAll);

  it('comes with every change of a key, in order, with the whole key, before the answer to who asked', async () => {
    const { apiKey, key } = await rig.ask('createKey', { name: 'told' });
    const digest = apiKeyDigest(apiKey, rig.pepper);
    expect(rig.changes).toEqual([{ revision: before + 1, digest, key: await rig.resolve(apiKey) }]);
    const rotated = await rig.ask('rotateKey', { keyId: key.id, overlapS: 60 });
    await rig.ask('revokeKey', { keyId: rotated.key.id });
    expect(revisions()).toEqual(upTo(4));
    expect(rig.changes[3]?.key).toMatchObject({ id: rotated.key.id, keyStatus: 'revoked', version: before + 4 });
  });

  it('comes for all keys of an account whose status or plan changed', async () => {
    const { email } = await rig.activeAccount('many@example.com');
    const digests = new Set<string>();
    for (const name of ['a', 'b', 'c'])
      digests.add(apiKeyDigest((await rig.ask('createKey', { email, name })).apiKey, rig.pepper));
    expect(revisions()).toEqual([1, 2, 3]);
    rig.changes.length = 0;
    await rig.ask('setAccountStatus', { account: email, status: 'suspended' });
    expect(new Set(rig.changes.map(({ digest }) => digest))).toEqual(digests);
    expect(rig.changes.map(({ key }) => key?.accountStatus)).toEqual(['suspended', 'suspended', 'suspended']);
    expect(revisions()).toEqual([4, 5, 6]);
  });

  it('does not come for a change that was refused', async () => {
    await expect(rig.ask('createKey', { name: 'x', plan: 'gold' })).rejects.toMatchObject({ code: 'invalid' });
    const { key } = await rig.ask('createKey', { name: 'next' });
    expect(revisions()).toEqual([1]);
    expect(key.version).toBe(before + 1);
  });

  it('keeps its order without a gap while two instances change keys at once', async () => {
    await rig.startInstance();
    // Each waits for those that were asked before it: of more at once, the last may wait for too long.
    await Promise.all(
      Array.from({ length: 10 }, async (_, lane) => {
        for (let i = 0; i < 6; i++) {
          const { key } = await rig.ask('createKey', { name: `k${lane}-${i}` });
          if (i % 2) await rig.ask('revokeKey', { keyId: key.id });
        }
      }),
    );
    await eventually(() => rig.changes.length >= 90);
    expect(revisions()).toEqual(upTo(90));
    const { keys } = await rig.ask('listKeys', { limit: 500 });
    const made = keys.filter(({ version }) => version > before);
    expect(made).toHaveLength(60);
    for (const { id, version } of made)
      expect(rig.changes.findLast(({ key }) => key?.id === id)?.revision).toBe(version);
  });

  it('is given later by another instance when the one that changed a key died before it could', async () => {
    const { key } = await rig.ask('createKey', { name: 'orphan' });
    await rig.database.$transaction(async (transaction) => {
      await transaction.$executeRaw`UPDATE key_revision SET revision = revision + 1`;
      await transaction.$executeRaw`UPDATE api_key SET status = 'revoked', version = ${before + 2} WHERE id = ${key.id}::uuid`;
      await transaction.keyChange.create({ data: { revision: BigInt(before + 2), keyId: key.id } });
    });
    await eventually(() => rig.changes.length === 2, 3_000);
    expect(rig.changes[1]).toMatchObject({ revision: before + 2, key: { keyStatus: 'revoked' } });
    // Edges have it before the transaction that takes it off the list ends.
    await eventually(async () => (await rig.database.keyChange.count()) === 0);
  });

  it('has a heartbeat that tells the newest revision about every second, and never before the change itself was told', async () => {
    await rig.startInstance();
    const seen: [number, number][] = [];
    const begin = Date.now();
    for (let i = 0; i < 30; i++) {
      await rig.ask('createKey', { name: `k${i}` });
      seen.push([rig.heartbeats.at(-1) ?? 0, before + rig.changes.length]);
    }
    for (const [heartbeat, told] of seen) expect(heartbeat).toBeLessThanOrEqual(told);
    rig.heartbeats.length = 0;
    await eventually(() => rig.heartbeats.filter((revision) => revision === before + 30).length >= 4, 5_000);
    expect(Date.now() - begin).toBeLessThan(20_000 * patience);
  });
});

describe('the plans of the operator', () => {
  withRig(beforeEach, afterEach);

  it('are told to edges when a start changes them, and are the same for every instance', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'accounts-plans-'));
    try {
      const { apiKey, key } = await rig.ask('createKey', { name: 'planned' });
      const own = await rig.ask('createKey', { name: 'own', rpm: 3 });
      await rig.ask('revokeKey', { keyId: (await rig.ask('createKey', { name: 'dead' })).key.id });
      rig.changes.length = 0;
      const configFile = join(folder, 'tollgate.yaml');
      writeFileSync(
        configFile,
        'plans:\n  beta: { rpm: 5, quotaTokens: unlimited }\n  team: { rpm: 9, quotaTokens: 9 }\n',
      );
      await rig.startInstance({ configFile });
      await eventually(() => rig.changes.length === 2);
      expect(rig.changes.find((change) => change.key?.id === key.id)?.key).toMatchObject({ rpm: 5, quotaTokens: null });
      expect(rig.changes.find((change) => change.key?.id === own.key.id)?.key).toMatchObject({ rpm: 3 });
      // Whichever of the two instances answers.
      for (let i = 0; i < 8; i++) expect(await rig.resolve(apiKey)).toMatchObject({ rpm: 5, quotaTokens: null });
      for (let i = 0; i < 4; i++)
        expect((await rig.ask('createKey', { name: `t${i}`, plan: 'team' })).key).toMatchObject({ rpm: 9 });
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('are in force within seconds of an edit, one with faults changes nothing, and a key of a plan that is gone does not grow', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'accounts-plans-'));
    try {
      const configFile = join(folder, 'tollgate.yaml');
      const edit = (plans: string): void => writeFileSync(configFile, `plans:\n${plans}`);
      edit('  team: { rpm: 9, quotaTokens: 9 }\n');
      const { logger } = await rig.startInstance({ configFile });
      const told = jest.spyOn(logger, 'error');
      const { apiKey } = await rig.ask('createKey', { name: 'live', plan: 'team' });
      const becomes = (rpm: number) => eventually(async () => (await rig.resolve(apiKey))?.rpm === rpm, 10_000);
      await becomes(9);
      edit('  team: { rpm: 11, quotaTokens: 9 }\n');
      await becomes(11);
      // Nobody asked for this change, so that none waits for the word: it follows what is stored.
      await eventually(() => rig.changes.at(-1)?.key?.rpm === 11);
      edit('  team: { rpm: nonsense }\n');
      await eventually(() => told.mock.calls.flat().some((each) => String(each).includes('cannot be used')), 10_000);
      expect((await rig.resolve(apiKey))?.rpm).toBe(11);
      edit('  other: { rpm: 1000, quotaTokens: 9 }\n');
      await becomes(60);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('are followed where they are set without the file, and hold over a start and while catalog is away', async () => {
    const limits = { rpm: 7, tpm: null, quotaTokens: 9, concurrency: null, modelLimits: [] };
    let told: z.input<typeof planOperations.list.reply>;
    told = { version: 1, plans: { team: limits, other: limits }, unreadable: [] };
    const logger = createLogger('spec', 'fatal');
    const serving = serveOperation(rig.connection, 'catalog', planOperations.list, () => Promise.resolve(told), logger);
    await eventually(async () => (await rig.ask('listPlans', {})).plans.some(({ name }) => name === 'team'), 10_000);
    const team = async () => (await rig.ask('listPlans', {})).plans.find(({ name }) => name === 'team');
    expect(await team()).toEqual({ name: 'team', ...limits, origin: 'settings', keys: 0, accounts: 0 });
    const { apiKey } = await rig.ask('createKey', { name: 'live', plan: 'team' });
    await rig.ask('revokeKey', { keyId: (await rig.ask('createKey', { name: 'dead', plan: 'team' })).key.id });
    expect(await team()).toMatchObject({ keys: 1, accounts: 0 });
    const becomes = (rpm: number) => eventually(async () => (await rig.resolve(apiKey))?.rpm === rpm, 10_000);
    await becomes(7);
    // What this release does not understand stays as it was.
    told = { version: 2, plans: {}, unreadable: ['team'] };
    await eventually(async () => !(await rig.ask('listPlans', {})).plans.some(({ name }) => name === 'other'), 10_000);
    await becomes(7);
    // Another catalog understands the same version.
    told = { version: 2, plans: { team: { ...limits, rpm: 8 }, other: limits }, unreadable: [] };
    await becomes(8);
    serving.unsubscribe();
    await rig.startInstance();
    for (let i = 0; i < 8; i++) expect(await rig.resolve(apiKey)).toMatchObject({ plan: 'team', rpm: 8 });
  });

  it('are told with who has them: an account, and its keys without a plan of their own', async () => {
    const useOf = async (name: string) => {
      const plan = (await rig.ask('listPlans', {})).plans.find((each) => each.name === name);
      return [plan?.keys ?? 0, plan?.accounts ?? 0] as const;
    };
    const [keys, accounts] = await useOf('pro');
    const asked = { name: 'Ada', email: 'plans@example.org', purpose: '' };
    const { account } = await rig.ask('requestAccess', asked);
    await rig.ask('setAccountStatus', { account: account.id, status: 'active', plan: 'pro', actor: 'spec' });
    expect(await useOf('pro')).toEqual([keys, accounts + 1]);
    const { key } = await rig.ask('createKey', { name: 'follows', accountId: account.id });
    await rig.ask('createKey', { name: 'own', accountId: account.id, plan: 'enterprise' });
    expect(await useOf('pro')).toEqual([keys + 1, accounts + 1]);
    await rig.ask('revokeKey', { keyId: key.id });
    expect(await useOf('pro')).toEqual([keys, accounts + 1]);
  });

  it('that stay the same are told to nobody', async () => {
    await rig.ask('createKey', { name: 'calm' });
    await rig.startInstance();
    await rig.ask('createKey', { name: 'next' });
    expect(revisions()).toEqual([1, 2]);
  });
});
