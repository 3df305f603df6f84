import { ControlError } from '@tollgate/contracts';
import { budgetLeaseOperations, type ReachedBudget } from '@tollgate/contracts/metering';
import { serveOperation } from '@tollgate/messaging';
import { createLogger } from '@tollgate/observability';
import { AccountsRig, bootstrapSecret } from '../testing/accounts-rig';
import { untilTaken } from '../testing/until-taken';
import { BudgetNotices } from './budget-notices';

const client = { address: '198.51.100.1', userAgent: '' };
const windowStart = Date.UTC(2026, 10, 1);

/** What metering answers, a page for each. */
let reached: ReachedBudget[] = [];
let isMeteringAway = false;

let rig: AccountsRig;
beforeAll(async () => {
  rig = await AccountsRig.start();
  const logger = createLogger('spec', 'fatal');
  serveOperation(
    rig.connection,
    'metering',
    budgetLeaseOperations.reached,
    ({ after }) => {
      if (isMeteringAway) throw new ControlError('unavailable', 'The database of metering does not answer.');
      const from = after === undefined ? 0 : reached.findIndex(({ budgetId }) => budgetId === after) + 1;
      const budgets = reached.slice(from, from + 1);
      return Promise.resolve({ budgets, next: from + 1 < reached.length ? (budgets[0]?.budgetId ?? null) : null });
    },
    logger,
  );
  await rig.connection.flush();
});
afterAll(() => rig?.stop());
beforeEach(() => {
  reached = [];
});

const turn = () => rig.newest(BudgetNotices).tell();
const tell = () => untilTaken(turn);
const mailsTo = async (email: string) => {
  const { mails } = await rig.ask('listMails', { limit: 100 });
  return mails.filter(({ recipient, subject }) => recipient === email && subject.includes('budget')).reverse();
};
const subjectsTo = async (email: string) => (await mailsTo(email)).map(({ subject }) => subject);
async function makeBudget(email: string, name: string, window = 'month') {
  const { id: accountId } = await rig.activeAccount(email);
  return (await rig.ask('createBudget', { accountId, name, limitUsd: '10', window })).budget;
}
/** What webhooks of this form were told of budgets, in the order in which they get it. */
const toldTo = async (form: string) => {
  const where = { kind: 'budget.threshold', webhook: { form } };
  const deliveries = await rig.database.webhookDelivery.findMany({
    where,
    orderBy: [{ createdAt: 'asc' }, { place: 'asc' }],
  });
  return deliveries.map(({ body }) => JSON.parse(body) as { data?: Record<string, unknown> });
};
const standing = ({ id }: { id: string }, spentUsd: number, changes: Partial<ReachedBudget> = {}): ReachedBudget => ({
  budgetId: id,
  windowStart,
  resetsAt: Date.UTC(2026, 11, 1),
  limitNanoUsd: '10000000000',
  spentNanoUsd: String(spentUsd * 1_000_000_000),
  hasRefused: false,
  refusal: null,
  ...changes,
});
const refusalOf = (mayCostUsd: number, leftUsd: number) => {
  const [mayCostNanoUsd = '', leftNanoUsd = ''] = [mayCostUsd, leftUsd].map((usd) => String(usd * 1_000_000_000));
  return { mayCostNanoUsd, leftNanoUsd };
};

describe('who is written to about a budget', () => {
  it('is told of 50, 80 and 100 % once each, by several instances at once, and anew in the next window', async () => {
    const budget = await makeBudget('once@example.com', 'once');
    const before = rig.newest(BudgetNotices);
    await rig.startInstance();
    for (const usd of [5, 7.9, 8, 9.99, 10]) {
      reached = [standing(budget, usd)];
      await Promise.all([untilTaken(() => before.tell()), tell(), tell()]);
    }
    const ofOneWindow = ['50 % of the budget once are spent', '80 % of the budget once are spent'];
    expect(await subjectsTo('once@example.com')).toEqual([...ofOneWindow, 'The budget once is used up']);
    reached = [standing(budget, 6, { windowStart: Date.UTC(2026, 11, 1) })];
    await tell();
    expect(await subjectsTo('once@example.com')).toHaveLength(4);
    const [mail] = await mailsTo('once@example.com');
    expect(mail?.body).toContain('$5 of $10 are spent. Requests go on. It begins anew at 2026-12-01 00:00 UTC.');
    const { notices, namesMailedAt } = await rig.ask('budgetNotices', { budgetId: budget.id });
    expect(notices.map(({ percent, windowStart: start }) => [percent, start])).toEqual([
      [50, Date.UTC(2026, 11, 1)],
      ...[100, 80, 50].map((percent) => [percent, windowStart]),
    ]);
    expect(namesMailedAt).toBeNull();
  });

  it('are webhooks too, once each, with the facts', async () => {
    // Nothing is ever sent to this machine: what is told waits.
    const webhook = { url: 'https://localhost:1/', kinds: ['budget.threshold' as const] };
    await rig.ask('createWebhook', { name: 'hook', ...webhook });
    await rig.ask('createWebhook', { name: 'slack', form: 'slack', ...webhook });
    const budget = await makeBudget('hook@example.com', 'hooked');
    reached = [standing(budget, 5.5)];
    await Promise.all([tell(), tell()]);
    expect(await toldTo('signed')).toEqual([
      {
        type: 'budget.threshold',
        timestamp: expect.stringContaining('T'),
        data: {
          budget_id: budget.id,
          budget: 'hooked',
          account_id: budget.accountId,
          threshold: 50,
          limit_usd: '10',
          spent_usd: '5.5',
          resets_at: '2026-12-01T00:00:00.000Z',
          text: 'The budget hooked of hook@example.com has come to 50 %: $5.5 of $10 are spent.',
          advice: 'Requests go on until it is used up; raise its limit if it should last longer.',
          link: `https://tollgate.example/admin/budgets/${budget.id}`,
        },
      },
    ]);
    const [{ text = '' } = {}] = (await toldTo('slack')) as { text?: string }[];
    expect(text.split('\n')).toEqual([
      'The budget hooked of hook@example.com has come to 50 %: $5.5 of $10 are spent. Requests go on until it is used up; raise its limit if it should last longer.',
      `https://tollgate.example/admin/budgets/${budget.id}`,
    ]);
  });

  it('are, where several are passed at once, programs of each, and people in one line and one mail that names all', async () => {
    const before = { signed: (await toldTo('signed')).length, slack: (await toldTo('slack')).length };
    const budget = await makeBudget('jump@example.com', 'jump');
    reached = [standing(budget, 8.5)];
    await Promise.all([tell(), tell()]);
    reached = [standing(budget, 11)];
    await tell();
    const toPrograms = (await toldTo('signed')).slice(before.signed).map(({ data }) => [data?.threshold, data?.text]);
    expect(toPrograms).toEqual([
      [50, 'The budget jump of jump@example.com has come to 50 %: $8.5 of $10 are spent.'],
      [80, 'The budget jump of jump@example.com has come to 50 % and 80 % at once: $8.5 of $10 are spent.'],
      [100, 'The budget jump of jump@example.com is used up: $11 of $10 are spent.'],
    ]);
    expect((await toldTo('slack')).slice(before.slack)).toEqual([
      {
        text: expect.stringMatching(
          /^The budget jump of jump@example\.com has come to 50 % and 80 % at once: \$8\.5 of \$10 are spent\. R/,
        ),
      },
      {
        text: expect.stringContaining(
          'The budget jump of jump@example.com is used up: $11 of $10 are spent. Requests are refused until 2026-12-01T00:00:00.000Z, unless its limit is raised.',
        ),
      },
    ]);
    expect(await subjectsTo('jump@example.com')).toEqual([
      '80 % of the budget jump are spent',
      'The budget jump is used up',
    ]);
    const [first, last] = await mailsTo('jump@example.com');
    expect(first?.body).toContain('$8.5 of $10 are spent: it came to 50 % and 80 % at once. Requests go on.');
    expect(last?.body).toContain('$11 of $10 are spent. Nothing is left: requests are refused.');
    const { notices } = await rig.ask('budgetNotices', { budgetId: budget.id });
    expect(notices.map(({ percent }) => percent)).toEqual([100, 80, 50]);
  });

  it.each([
    ['soft', { soft: true }, 'Requests go on: it is soft.'],
    [
      'served on by another model',
      { soft: true, fallbackModel: 'sim/echo' },
      'Requests are served by sim/echo until 2026-12-01T00:00:00.000Z, unless its limit is raised.',
    ],
  ])('are told what becomes of requests beyond one that is %s', async (name, how, advice) => {
    const email = `${name.length}@example.com`;
    const budget = await makeBudget(email, name);
    await rig.database.budget.update({ where: { id: budget.id }, data: how });
    reached = [standing(budget, 11)];
    await tell();
    const told = (await toldTo('signed')).filter(({ data }) => data?.budget_id === budget.id);
    expect(told.at(-1)?.data).toMatchObject({ threshold: 100, advice });
    const [mail] = await mailsTo(email);
    expect(mail?.body).toContain('fallbackModel' in how ? 'Requests are served by sim/echo. It' : 'Requests go on. It');
    expect(mail?.body).toContain(`\n\nhttps://tollgate.example/budgets/${budget.id}\n\n`);
  });

  it('are told when requests go on beyond one of the last days: not all of it comes back at once', async () => {
    const budget = await makeBudget('piecewise@example.com', 'piecewise', '7d');
    reached = [standing(budget, 11)];
    await tell();
    const told = (await toldTo('signed')).filter(({ data }) => data?.budget_id === budget.id);
    expect(told.at(-1)?.data?.advice).toBe(
      'Requests are refused until enough of what is spent counts no more (the first at 2026-12-01T00:00:00.000Z), unless its limit is raised.',
    );
  });

  it('in tokens is told of in tokens, by mail and to webhooks', async () => {
    const { id: accountId } = await rig.activeAccount('tokens@example.com');
    const wish = { accountId, name: 'of tokens', limitTokens: 2_000_000, window: 'month' } as const;
    const { budget } = await rig.ask('createBudget', wish);
    reached = [standing(budget, 0, { limitNanoUsd: '2000000', spentNanoUsd: '1600001' })];
    await tell();
    const [mail] = await mailsTo('tokens@example.com');
    expect(mail?.subject).toBe('80 % of the budget of tokens are spent');
    expect(mail?.body).toContain('1,600,001 tokens of 2,000,000 tokens are spent: it came to 50 % and 80 % at once.');
    const told = (await toldTo('signed')).filter(({ data }) => data?.budget_id === budget.id);
    const data = told.at(-1)?.data;
    expect(data).toMatchObject({ threshold: 80, limit_tokens: 2_000_000, spent_tokens: 1_600_001 });
    expect(data).not.toHaveProperty('limit_usd');
  });

  it('is told once of a refusal while something is left, and of 50, 80 and 100 % by what is spent alone', async () => {
    const budget = await makeBudget('refuses@example.com', 'refuses');
    const refusal = refusalOf(8, 7);
    const told = async () => (await toldTo('signed')).filter(({ data }) => data?.budget_id === budget.id);
    for (const usd of [3, 4, 5, 8, 9.5]) {
      reached = [standing(budget, usd, { hasRefused: true, refusal })];
      await tell();
    }
    expect((await told()).map(({ data }) => data?.threshold)).toEqual([0, 50, 80]);
    reached = [standing(budget, 10, { hasRefused: true, refusal })];
    await tell();
    expect(await subjectsTo('refuses@example.com')).toEqual([
      'The budget refuses refused a request: too little was left',
      '50 % of the budget refuses are spent',
      '80 % of the budget refuses are spent',
      'The budget refuses is used up',
    ]);
    const [mail] = await mailsTo('refuses@example.com');
    expect(mail?.body).toContain(
      '$3 of $10 are spent. A request was refused: it might have cost $8, with $7 left. Smaller ones go on. It begins',
    );
    expect(mail?.body).toContain('This mail is sent once, when it first refuses a request.');
    expect((await told()).map(({ data }) => data?.refused_usd)).toEqual(['8', undefined, undefined, undefined]);
    expect((await told())[0]?.data).toMatchObject({
      text: 'The budget refuses of refuses@example.com refused a request, as too little was left: $3 of $10 are spent, and the request might have cost $8, with $7 left.',
      advice: expect.stringMatching(
        /^Requests that may cost more than what is left are refused until .*; smaller ones/,
      ),
    });
    const { notices } = await rig.ask('budgetNotices', { budgetId: budget.id });
    expect(notices.map(({ percent }) => percent)).toEqual([100, 80, 50, 0]);
  });

  it('is told apart of a refusal and of thresholds to which it came at once', async () => {
    const budget = await makeBudget('both@example.com', 'both');
    reached = [standing(budget, 9.5, { hasRefused: true, resetsAt: null, refusal: refusalOf(1.25, 0.5) })];
    await Promise.all([tell(), tell()]);
    const [refused, spent, ...others] = await mailsTo('both@example.com');
    expect(refused?.body).toContain(
      '$9.5 of $10 are spent. A request was refused: it might have cost $1.25, with $0.5',
    );
    expect(spent?.body).toContain(
      '$9.5 of $10 are spent: it came to 50 % and 80 % at once. Requests go on. It does not begin anew.',
    );
    expect(others).toEqual([]);
  });

  it('is told of refusals by a metering that tells no amounts, and of none of a soft budget or where nothing is left', async () => {
    const soft = await makeBudget('yielding@example.com', 'yielding');
    await rig.database.budget.update({ where: { id: soft.id }, data: { soft: true } });
    const untold = await makeBudget('untold@example.com', 'untold');
    const spent = await makeBudget('spent@example.com', 'spent');
    reached = [
      standing(soft, 3, { hasRefused: true }),
      standing(untold, 3, { hasRefused: true }),
      standing(spent, 10, { hasRefused: true }),
    ];
    await tell();
    expect(await subjectsTo('yielding@example.com')).toEqual([]);
    const [mail] = await mailsTo('untold@example.com');
    expect(mail?.subject).toBe('The budget untold refused a request: too little was left');
    expect(mail?.body).toContain(
      '$3 of $10 are spent. A request was refused: less was left than it might have cost. Smaller',
    );
    expect(await subjectsTo('spent@example.com')).toEqual(['The budget spent is used up']);
    reached = [standing(untold, 10, { hasRefused: true })];
    await tell();
    expect((await subjectsTo('untold@example.com')).at(-1)).toBe('The budget untold is used up');
  });

  it('is told of a budget by the hour only that it refused a request, and that it is used up', async () => {
    const budget = await makeBudget('hourly@example.com', 'hourly', 'hour');
    for (const usd of [5, 9.9, 10]) {
      reached = [standing(budget, usd, { hasRefused: true, refusal: refusalOf(6, 5) })];
      await tell();
    }
    const told = (await mailsTo('hourly@example.com')).map(({ body }) => body.slice(body.indexOf('This mail')).trim());
    const when = ['it first refuses a request', 'it is used up'];
    expect(told).toEqual(when.map((moment) => `This mail is sent once in each hour, when ${moment}.`));
  });

  it('is told of a budget of the last days when room begins to come back, of one of some hours as of one by the hour', async () => {
    const days = await makeBudget('days@example.com', 'days', '7d');
    const hours = await makeBudget('hours@example.com', 'hours', '5h');
    reached = [standing(days, 5), standing(hours, 9)];
    await tell();
    reached = [standing(days, 5), standing(hours, 10)];
    await tell();
    const [ofDays, ofHours] = [await mailsTo('days@example.com'), await mailsTo('hours@example.com')];
    expect([...ofDays, ...ofHours].map(({ subject }) => subject)).toEqual([
      '50 % of the budget days are spent',
      'The budget hours is used up',
    ]);
    expect(ofDays[0]?.body).toContain(
      'of the last 7 days: at 2026-12-01 00:00 UTC the first of what is spent counts no more.',
    );
    expect(ofHours[0]?.body).toContain('This mail is sent at most once in each 5 hours, when it is used up.');
  });

  it('is told of one of the last days anew only when it fell below since, and so many days have passed', async () => {
    const budget = await makeBudget('rolling@example.com', 'rolling', '7d');
    const subjects: string[] = [];
    /** The week turns in `reached`, as it does each Thursday for all of these. */
    const tellAt = async (usd: number | null, week: number) => {
      const start = windowStart + week * 7 * 86_400_000;
      reached = usd === null ? [] : [standing(budget, usd, { windowStart: start })];
      await Promise.all([tell(), tell()]);
      return subjectsTo('rolling@example.com');
    };
    const passAWeek = async () => {
      const toldAt = new Date(Date.now() - 7 * 86_400_000 - 1);
      await rig.database.budgetNotice.updateMany({ where: { budgetId: budget.id }, data: { toldAt } });
    };
    subjects.push('80 % of the budget rolling are spent');
    expect(await tellAt(8.5, 0)).toEqual(subjects);
    expect(await tellAt(8.5, 1)).toEqual(subjects);
    await passAWeek();
    expect(await tellAt(8.5, 2)).toEqual(subjects);
    subjects.push('The budget rolling is used up');
    expect(await tellAt(10, 2)).toEqual(subjects);
    expect(await tellAt(9.9, 2)).toEqual(subjects);
    expect(await tellAt(10, 3)).toEqual(subjects);
    await passAWeek();
    subjects.push('The budget rolling is used up');
    expect(await tellAt(10, 3)).toEqual(subjects);
    expect(await tellAt(null, 4)).toEqual(subjects);
    expect((await rig.ask('budgetNotices', { budgetId: budget.id })).notices[0]).toMatchObject({ windowStart: null });
    subjects.push('50 % of the budget rolling are spent');
    expect(await tellAt(5, 4)).toEqual(subjects);
    expect(await tellAt(null, 4)).toEqual(subjects);
    subjects.push('80 % of the budget rolling are spent');
    expect(await tellAt(8.5, 4)).toEqual(subjects);
    // Of half of it people may be told again, but it has long come further, as they know.
    await passAWeek();
    expect(await tellAt(8.5, 5)).toEqual(subjects);
  });

  it('is told of anew when its limit changes, and never of what metering knew of another limit', async () => {
    const budget = await makeBudget('raised@example.com', 'raised');
    reached = [standing(budget, 9)];
    await tell();
    await rig.ask('updateBudget', { budgetId: budget.id, limitUsd: '15' });
    await tell();
    expect(await subjectsTo('raised@example.com')).toHaveLength(1);
    reached = [standing(budget, 9, { limitNanoUsd: '15000000000' })];
    await tell();
    expect(await subjectsTo('raised@example.com')).toEqual([
      '80 % of the budget raised are spent',
      '50 % of the budget raised are spent',
    ]);
  });

  it('is told whose budget it is, by a name only where that is one', async () => {
    const told: (string | undefined)[] = [];
    const alerted: unknown[] = [];
    for (const [place, name] of ['Finance, "GmbH"', 'https://evil.example'].entries()) {
      const email = `whose${place}@example.com`;
      const budget = await makeBudget(email, 'whose');
      await rig.database.account.update({ where: { id: budget.accountId }, data: { name } });
      reached = [standing(budget, 5)];
      await tell();
      told.push(/of the budget (.*) \$5 of/.exec((await mailsTo(email))[0]?.body ?? '')?.[1]);
      alerted.push((await toldTo('signed')).find(({ data }) => data?.budget_id === budget.id)?.data?.text);
    }
    expect(alerted).toEqual([
      'The budget whose of Finance, "GmbH" (whose0@example.com) has come to 50 %: $5 of $10 are spent.',
      'The budget whose of whose1@example.com has come to 50 %: $5 of $10 are spent.',
    ]);
    expect(told).toEqual(['whose of Finance, "GmbH" (whose0@example.com)', 'whose of whose1@example.com']);
  });

  it('are the account and every administrator, and nobody while metering is away', async () => {
    const ada = { name: 'Ada', email: 'ada@example.com', password: 'correct horse battery' };
    await rig.ask('firstAdministrator', { ...ada, secret: bootstrapSecret, ...client });
    const budget = await makeBudget('away@example.com', 'away');
    reached = [standing(budget, 5)];
    isMeteringAway = true;
    await expect(turn()).rejects.toMatchObject({ code: 'unavailable' });
    expect(await subjectsTo('away@example.com')).toEqual([]);
    isMeteringAway = false;
    await tell();
    expect(await subjectsTo('away@example.com')).toEqual(['50 % of the budget away are spent']);
    expect(await subjectsTo('ada@example.com')).toEqual(['50 % of the budget away are spent']);
    const [mail] = await mailsTo('ada@example.com');
    // An administrator hears of budgets of every account, which may all have one name.
    expect(mail?.body).toContain('of the budget away of away@example.com $5 of $10 are spent.');
    expect(mail?.body).toContain(`\n\nhttps://tollgate.example/admin/budgets/${budget.id}\n\n`);
  });
});
