import { ControlError } from '@tollgate/contracts';
import { catalogOperations, type CatalogModel } from '@tollgate/contracts/catalog';
import { reportOperations } from '@tollgate/contracts/metering';
import { serveOperation } from '@tollgate/messaging';
import { createLogger } from '@tollgate/observability';
import { aModel } from '@tollgate/testing';
import { ExpiredRows } from '../expired-rows';
import { AccountsRig, bootstrapSecret, eventually } from '../testing/accounts-rig';
import { RetirementNotices } from './retirement-notices';

const dayMs = 86_400_000;
const now = Date.UTC(2026, 10, 23, 12);
const client = { address: '198.51.100.1', userAgent: '' };

/** What catalog and metering answer. A page of users holds one key. */
let models: CatalogModel[] = [];
let uses: { keyId: string; models: string[] }[] = [];
let isMeteringAway = false;
const questions: { models: string[]; since: number }[] = [];

let rig: AccountsRig;
beforeAll(async () => {
  rig = await AccountsRig.start();
  let snapshots = 0;
  const logger = createLogger('spec', 'fatal');
  const snapshot = { revision: 1, sandbox: false, providers: [], available: [] };
  serveOperation(
    rig.connection,
    'catalog',
    catalogOperations.snapshot,
    () => {
      snapshots++;
      return Promise.resolve({ ...snapshot, models });
    },
    logger,
  );
  serveOperation(
    rig.connection,
    'metering',
    reportOperations.usersOf,
    ({ after, ...question }) => {
      if (isMeteringAway) throw new ControlError('unavailable', 'The database of metering does not answer.');
      questions.push(question);
      const rest = uses.filter(({ keyId }) => after === undefined || keyId > after);
      const users = rest.slice(0, 1);
      return Promise.resolve({ users, next: rest.length > 1 ? (users[0]?.keyId ?? null) : null });
    },
    logger,
  );
  await rig.connection.flush();
  // What accounts looks for by itself is over: its first look came before there was a catalog.
  await eventually(() => Promise.resolve(snapshots > 0), 60_000);
});
afterAll(() => rig.stop());
beforeEach(async () => {
  questions.length = 0;
  uses = [];
  await rig.database.mail.deleteMany();
  await rig.database.retirementNotice.deleteMany();
});

const model = (id: string, retirement: Partial<CatalogModel['retirement']> | null) =>
  aModel({
    id,
    provider: 'openai',
    retirement: retirement && { deprecated: null, date: null, successor: null, redirects: false, ...retirement },
  });
const old = model('openai/old', { date: '2026-12-11', successor: 'openai/new' });
const tell = (at = now) => rig.newest(RetirementNotices).tell(at);
const mails = async () => (await rig.ask('listMails', {})).mails.reverse();
const makeKey = async (email: string, name: string) => (await rig.ask('createKey', { email, name })).key;
const use = (...used: [{ id: string }, ...CatalogModel[]][]): void => {
  uses = used
    .map(([{ id }, ...ofKey]) => ({ keyId: id, models: ofKey.map((each) => each.id) }))
    .sort((one, other) => (one.keyId < other.keyId ? -1 : 1));
};

describe('the owner of keys that use a model which ends', () => {
  it('is told its day, its successor and the keys by name, and others are told nothing', async () => {
    models = [old, model('openai/new', null)];
    await rig.activeAccount('ada@example.com');
    await rig.activeAccount('bob@example.com');
    const shop = await makeKey('ada@example.com', 'shop');
    const batch = await makeKey('ada@example.com', 'batch');
    await makeKey('ada@example.com', 'unused');
    await makeKey('bob@example.com', 'of bob');
    use([shop, old], [batch, old]);
    await rig.database.mail.deleteMany();
    await tell();
    const [mail, ...more] = await mails();
    expect(more).toEqual([]);
    expect(mail).toMatchObject({ recipient: 'ada@example.com', subject: 'openai/old ends on 2026-12-11' });
    expect(mail?.body).toContain(`- shop (${shop.display})\n- batch (${batch.display})\n`);
    expect(mail?.body).toContain('Its successor is openai/new');
    expect(mail?.body).not.toContain('unused');
    expect(mail?.body).toContain('https://tollgate.example/models');
    // Both pages were asked for, of the one model that ends, for the last thirty days.
    expect(questions).toHaveLength(2);
    expect(questions[0]).toMatchObject({ models: ['openai/old'], since: now - 30 * dayMs });
  });

  it('is told once, by several instances, also after a restart and when another key uses it', async () => {
    models = [old];
    await rig.activeAccount('once@example.com');
    const first = await makeKey('once@example.com', 'first');
    const second = await makeKey('once@example.com', 'second');
    use([first, old]);
    await rig.database.mail.deleteMany();
    const before = rig.newest(RetirementNotices);
    await rig.startInstance();
    await Promise.all([before.tell(now), tell(), tell()]);
    use([first, old], [second, old]);
    await tell(now + dayMs);
    expect(await mails()).toHaveLength(1);
  });

  it('is told anew when the provider names another day, and of each model apart', async () => {
    const other = model('openai/other', { date: '2027-01-10', successor: 'openai/new', redirects: true });
    models = [old, other];
    await rig.activeAccount('moved@example.com');
    const key = await makeKey('moved@example.com', 'the key');
    use([key, old, other]);
    await rig.database.mail.deleteMany();
    await tell();
    models = [model('openai/old', { date: '2026-12-31' }), other];
    await tell();
    const all = await mails();
    expect(all.map(({ subject }) => subject)).toEqual([
      'openai/old ends on 2026-12-11',
      'openai/other ends on 2027-01-10',
      'openai/old ends on 2026-12-31',
    ]);
    expect(all[1]?.body).toContain('its provider answers with openai/new, at the price of that');
    expect(all[2]?.body).toContain('Please choose another model');
  });

  it('is not told of what ends in more than 60 days, ended, or has no day; nor for keys and accounts that are closed', async () => {
    const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);
    models = [
      model('openai/later', { date: day(now + 62 * dayMs) }),
      model('openai/gone', { date: day(now) }),
      model('openai/undated', { deprecated: '2026-01-01' }),
    ];
    await tell();
    expect(questions).toEqual([]);
    models = [old];
    await rig.activeAccount('closed@example.com');
    await rig.activeAccount('open@example.com');
    const closed = await makeKey('closed@example.com', 'of a suspended account');
    const revoked = await makeKey('open@example.com', 'revoked');
    const { key: expired } = await rig.ask('createKey', {
      email: 'open@example.com',
      name: 'expired',
      expiresAt: Date.now() + 1_000_000,
    });
    await rig.ask('setAccountStatus', { account: 'closed@example.com', status: 'suspended' });
    await rig.ask('revokeKey', { keyId: revoked.id });
    use([closed, old], [revoked, old], [expired, old]);
    uses.push({ keyId: 'zz-no-id-of-ours', models: [old.id] });
    await rig.database.mail.deleteMany();
    models = [model('openai/old', { date: day(Date.now() + 30 * dayMs) })];
    await tell(Date.now() + 2_000_000);
    expect(await mails()).toEqual([]);
    expect(questions).toHaveLength(4);
  });

  it('is told later where metering was away', async () => {
    models = [old];
    await rig.activeAccount('later@example.com');
    use([await makeKey('later@example.com', 'key'), old]);
    await rig.database.mail.deleteMany();
    isMeteringAway = true;
    await expect(tell()).rejects.toMatchObject({ code: 'unavailable' });
    isMeteringAway = false;
    await tell();
    expect(await mails()).toHaveLength(1);
  });

  it('is every administrator, where the key is the operator’s', async () => {
    models = [old];
    const admin = { name: 'Root', email: 'root@example.com', password: 'correct horse battery', ...client };
    await rig.ask('firstAdministrator', { ...admin, secret: bootstrapSecret });
    const { key } = await rig.ask('createKey', { name: 'of the operator' });
    use([key, old]);
    await rig.database.mail.deleteMany();
    await tell();
    expect((await mails()).map(({ recipient }) => recipient)).toEqual(['root@example.com']);
  });
});

it('that somebody was told is forgotten the day after the model has ended', async () => {
  const notice = { accountId: '01890a5d-ac96-774b-bcce-b302099a8057', model: 'openai/old' };
  const data = ['2026-11-22', '2026-11-23'].map((day) => ({ ...notice, endsOn: new Date(day) }));
  await rig.database.retirementNotice.createMany({ data });
  await rig.newest(ExpiredRows).remove(now);
  expect(await rig.database.retirementNotice.count()).toBe(1);
});
