import { accountRole } from '@tollgate/contracts/accounts';
import { Browser } from '../../testing/browser';
import { EdgeRig } from '../../testing/edge-rig';

let rig: EdgeRig;
let administrator: Browser;
let owner: Browser;
beforeAll(async () => {
  rig = await EdgeRig.start();
  administrator = await Browser.withSession(rig.url, rig.people.open('administrator', 'account-9').token);
  owner = await Browser.withSession(rig.url, rig.people.open('user').token);
  rig.budgets.add({ id: 'own', keyIds: ['key-0', 'key-1'] });
  rig.budgets.add({ id: 'each', name: 'users', each: { by: 'end_user', names: '*' } });
  rig.budgets.add({ id: 'foreign', name: 'theirs', accountId: 'account-2' });
  rig.budgets.states.set('own', state);
});
afterAll(() => rig.stop());
afterEach(() => {
  rig.budgets.isAway = false;
});

// Beyond what a float holds exactly.
const state = { limitNanoUsd: '10000000000', spentNanoUsd: '9007199254740993', heldNanoUsd: '1', resetsAt: 5_000 };
const json = async (browser: Browser, path: string) => (await browser.get(path)).json();

describe('the budgets of an account', () => {
  it('are told with the names of keys, to the nano-dollar, and no others', async () => {
    expect(await json(owner, '/api/budgets')).toMatchObject({
      data: [
        {
          ...{ id: 'own', accountName: 'Ada', state, nearest: null },
          keys: [
            { id: 'key-0', name: null },
            { id: 'key-1', name: 'Notes' },
          ],
        },
        { id: 'each', keys: [], state: null, nearest: { name: 'ann', state: { spentNanoUsd: '9' } } },
      ],
      next: null,
    });
    expect((await owner.get('/api/budgets?accountId=account-2')).status).toBe(400);
  });

  it('are told without how they stand while metering is away', async () => {
    rig.budgets.isAway = true;
    expect(await json(owner, '/api/budgets')).toMatchObject({
      data: [
        { id: 'own', state: null },
        { id: 'each', nearest: null },
      ],
    });
    expect(await json(owner, '/api/budgets/own')).toMatchObject({ budget: { state: null }, windows: null });
    expect(await json(owner, '/api/budgets/each')).toMatchObject({ names: null, windows: [] });
  });

  it('have an address each: with its windows, its nearest names, and who was told', async () => {
    const notices = [{ windowStart: 1_000, percent: 50, toldAt: 2_000 }];
    expect(await json(owner, '/api/budgets/own')).toMatchObject({
      budget: { id: 'own', state },
      windows: [{ startAt: 1_000, endAt: 2_000, spentNanoUsd: '7' }],
      ...{ names: [], notices, namesMailedAt: null },
    });
    expect(await json(owner, '/api/budgets/each')).toMatchObject({ names: [{ name: 'ann' }, { name: 'bob' }] });
  });

  it('are found by their own people alone', async () => {
    const [foreign, unknown] = await Promise.all([
      owner.get('/api/budgets/foreign'),
      owner.get('/api/budgets/nowhere'),
    ]);
    const text = async (response: Response) => (await response.text()).replace(/nowhere|foreign/, 'it');
    expect([foreign.status, unknown.status]).toEqual([404, 404]);
    expect(await text(foreign)).toBe(await text(unknown));
    expect(await json(administrator, '/api/admin/budgets/foreign')).toMatchObject({ budget: { name: 'theirs' } });
  });

  it('are seen by every role, and set, changed and removed by none', async () => {
    for (const role of accountRole.options) {
      const browser = await Browser.withSession(rig.url, rig.people.open('user', 'account-1', role).token);
      expect([role, (await browser.get('/api/budgets')).status]).toEqual([role, 200]);
      for (const path of ['', '/own/remove'])
        expect((await browser.post(`/api/admin/budgets${path}`, {})).status).toBe(403);
      expect((await browser.ask('PATCH', '/api/admin/budgets/own', {})).status).toBe(403);
    }
    expect(rig.budgets.asked).toEqual([]);
  });
});

describe('an administrator', () => {
  it('sees the budgets of everybody, or of an account', async () => {
    const ids = async (query: string) =>
      ((await json(administrator, `/api/admin/budgets${query}`)) as { data: { id: string }[] }).data.map(
        ({ id }) => id,
      );
    expect(await ids('')).toEqual(['own', 'each', 'foreign']);
    expect(await ids('?accountId=account-2')).toEqual(['foreign']);
  });

  it('is told which are near their end, over all pages, without those that are gone', async () => {
    rig.budgets.isAway = true;
    expect((await administrator.get('/api/admin/budgets/near')).status).toBe(503);
    rig.budgets.isAway = false;
    rig.budgets.reached = [
      { budgetId: 'own', hasRefused: true },
      { budgetId: 'gone', hasRefused: false },
      { budgetId: 'foreign', hasRefused: false },
    ];
    expect(await json(administrator, '/api/admin/budgets/near')).toMatchObject({
      data: [
        { id: 'own', hasRefused: true, state },
        { id: 'foreign', hasRefused: false },
      ],
      isMore: false,
    });
    // Metering looked through all of them, which is not done anew for each page that is open.
    rig.budgets.reached = [];
    expect(await json(administrator, '/api/admin/budgets/near')).toMatchObject({ data: [{}, {}] });
  });

  it('sets, changes and removes them in their own name, with exact amounts', async () => {
    const actor = 'administrator@example.com';
    const wish = { accountId: 'account-2', name: 'exact', limitUsd: '0.000000001', window: '24h' };
    expect((await administrator.post('/api/admin/budgets', wish)).status).toBe(201);
    await administrator.ask('PATCH', '/api/admin/budgets/own', { limitUsd: '999999999.999999999' });
    await administrator.post('/api/admin/budgets/own/remove', {});
    expect(rig.budgets.asked).toMatchObject([
      { ...wish, actor },
      { budgetId: 'own', limitUsd: '999999999.999999999', actor },
      { budgetId: 'own', actor },
    ]);
    const refused = await administrator.post('/api/admin/budgets', { ...wish, limitUsd: 'much' });
    expect([refused.status, await refused.json()]).toMatchObject([
      400,
      { error: { message: expect.stringMatching(/^limitUsd: /) } },
    ]);
  });

  it('has the names of the newest keys of each, also where one has very many', async () => {
    const accountId = 'account-3';
    const busy = Array.from({ length: 600 }, (_, index) => `busy-${index}`);
    rig.budgets.add({ accountId, id: 'busy', keyIds: busy });
    rig.budgets.add({ accountId, id: 'calm', keyIds: ['key-1'] });
    expect(await json(administrator, `/api/admin/budgets?accountId=${accountId}`)).toMatchObject({
      data: [
        { id: 'busy', keys: busy.slice(-250).map((id) => ({ id, name: null })) },
        { id: 'calm', keys: [{ id: 'key-1', name: 'Notes' }] },
      ],
    });
  });
});
