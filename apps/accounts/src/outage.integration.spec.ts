import { patience } from '@tollgate/testing';
import { AccountsRig, eventually } from './testing/accounts-rig';

let rig: AccountsRig;
beforeEach(async () => {
  rig = await AccountsRig.start();
});
afterEach(() => rig.stop());

describe('while Postgres is away', () => {
  it('questions are answered "unavailable" before their callers give up, and all is well by itself when it is back', async () => {
    const { apiKey } = await rig.ask('createKey', { name: 'lasting' });
    await rig.postgres.kill();
    const begin = Date.now();
    const refusals = await Promise.allSettled([
      rig.resolve(apiKey),
      rig.ask('createKey', { name: 'x' }),
      rig.ask('listKeys', {}),
    ]);
    for (const refusal of refusals)
      expect(refusal).toMatchObject({ status: 'rejected', reason: { code: 'unavailable' } });
    // The service's own words, not the caller's timeout of two seconds.
    expect(refusals[0]).toMatchObject({ reason: { message: expect.stringContaining('The database of accounts') } });
    expect(Date.now() - begin).toBeLessThan(2_000 * patience);
    await rig.postgres.restart();
    await eventually(
      () =>
        rig
          .resolve(apiKey)
          .then((key) => key !== null)
          .catch(() => false),
      10_000,
    );
    await rig.ask('createKey', { name: 'after' });
    await eventually(() => rig.changes.length >= 2);
    expect(rig.changes.map(({ revision }) => revision)).toEqual([1, 2]);
  });
});

describe('while NATS is away', () => {
  it('nothing is lost: edges hear of a change that was made meanwhile when it is back', async () => {
    const { key } = await rig.ask('createKey', { name: 'before' });
    await rig.nats.kill();
    await rig.database.$transaction(async (transaction) => {
      await transaction.$executeRaw`UPDATE key_revision SET revision = revision + 1`;
      await transaction.$executeRaw`UPDATE api_key SET status = 'revoked', version = 2`;
      await transaction.keyChange.create({ data: { revision: 2n, keyId: key.id } });
    });
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    await rig.nats.restart();
    await eventually(() => rig.heartbeats.at(-1) === 2, 15_000);
    await eventually(
      () =>
        rig
          .ask('listKeys', {})
          .then(() => true)
          .catch(() => false),
      10_000,
    );
  });
});
