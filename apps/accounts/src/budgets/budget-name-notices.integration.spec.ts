import { budgetLeaseOperations, digestOfName } from '@tollgate/contracts/metering';
import { serveOperation } from '@tollgate/messaging';
import { createLogger } from '@tollgate/observability';
import type { z } from 'zod';
import { eventually } from '@tollgate/testing';
import { AccountsRig } from '../testing/accounts-rig';
import { untilTaken } from '../testing/until-taken';
import { BudgetNameNotices } from './budget-name-notices';

type ReachedName = z.output<typeof budgetLeaseOperations.reachedNames.reply>['names'][number];

const windowStart = Date.UTC(2026, 10, 1);
const resetsAt = Date.UTC(2026, 11, 1);

/** What metering knows: names of which it was not told yet that somebody was. */
let due: ReachedName[] = [];
let told: ReachedName[] = [];
let forgetsWhatItIsTold = false;
let windowAtHand = windowStart;
/** A metering of the release before does not say it. */
let refusalsApart: boolean | undefined;

let rig: AccountsRig;
beforeAll(async () => {
  rig = await AccountsRig.start();
  const logger = createLogger('spec', 'fatal');
  const { reachedNames, namesTold, names } = budgetLeaseOperations;
  serveOperation(
    rig.connection,
    'metering',
    reachedNames,
    ({ limit }) => Promise.resolve({ names: due.slice(0, limit), refusalsApart }),
    logger,
  );
  serveOperation(
    rig.connection,
    'metering',
    namesTold,
    (request) => {
      const isTold = ({ nameDigest }: ReachedName) => request.names.some((one) => one.nameDigest === nameDigest);
      if (!forgetsWhatItIsTold) due = due.filter((one) => !isTold(one));
      return Promise.resolve({});
    },
    logger,
  );
  serveOperation(
    rig.connection,
    'metering',
    names,
    ({ budgetId, limit, windowStart: start = windowAtHand }) => {
      const those = told.filter((one) => one.budgetId === budgetId && one.windowStart === start).slice(0, limit);
      return Promise.resolve({
        names: those.map(({ name, nameDigest, spentNanoUsd, limitNanoUsd, resetsAt }) => {
          return { name, nameDigest, state: { limitNanoUsd, spentNanoUsd, heldNanoUsd: '0', resetsAt } };
        }),
      });
    },
    logger,
  );
  await rig.connection.flush();
  // Nothing is ever sent to this machine: what is told waits.
  await untilTaken(async () => {
    await rig.ask('createWebhook', { name: 'hook', url: 'https://localhost:1/', kinds: ['budget.threshold'] });
  });
});
afterAll(() => rig?.stop());
beforeEach(() => {
  [due, told, forgetsWhatItIsTold, windowAtHand, refusalsApart] = [[], [], false, windowStart, true];
});

const tell = () => untilTaken(() => rig.newest(BudgetNameNotices).tell());
async function makeBudget(email: string, name: string, window: 'hour' | 'month' = 'month') {
  const { id: accountId } = await rig.activeAccount(email);
  const each = { by: 'end_user', names: '*' } as const;
  return (await rig.ask('createBudget', { accountId, name, limitUsd: '10', window, each })).budget;
}
/**
 * Metering finds that these names have come so far, and of what of each was told `before`. `spentUsd`: in
 * place of all of that, since a request was refused.
 */
function reach(
  { id }: { id: string },
  percents: Record<string, number>,
  limitUsd = 10,
  before: Record<string, number> = {},
  spentUsd?: number,
): void {
  const names = Object.entries(percents).map(([name, percent]) => ({
    ...{ budgetId: id, name, nameDigest: digestOfName(name), percent, windowStart: windowAtHand, resetsAt },
    limitNanoUsd: String(limitUsd * 1e9),
    spentNanoUsd: String((spentUsd ?? (limitUsd * percent) / 100) * 1e9),
    toldPercent: before[name] ?? null,
    refusal: null,
  }));
  due = [...due, ...names];
  told = [...told, ...names];
}
const mailsTo = async (email: string) => {
  const { mails } = await rig.ask('listMails', { limit: 100 });
  return mails.filter(({ recipient, subject }) => recipient === email && subject.includes('near their limit'));
};
const alertsOf = async ({ id }: { id: string }) => {
  const deliveries = await rig.database.webhookDelivery.findMany({ where: { kind: 'budget.threshold' } });
  const bodies = deliveries.map(
    ({ body }) =>
      JSON.parse(body) as { data?: { budget_id: string; budget_of: string; threshold: number; text: string } },
  );
  return bodies.flatMap(({ data }) => (data?.budget_id === id ? [data] : []));
};
const of = async (budget: { id: string }) =>
  (await alertsOf(budget)).map((data) => `${data.budget_of} ${data.threshold}`).sort();
const passAnHour = ({ id }: { id: string }) =>
  rig.database.budgetNameMail.update({ where: { budgetId: id }, data: { mailedAt: new Date(Date.now() - 3_600_001) } });

it('are told to webhooks once each, by several instances and although metering was not told of it', async () => {
  const budget = await makeBudget('once@example.com', 'each');
  const before = rig.newest(BudgetNameNotices);
  await rig.startInstance();
  forgetsWhatItIsTold = true;
  reach(budget, { ann: 50, 'Ben "B"': 100 });
  await Promise.all([untilTaken(() => before.tell()), tell()]);
  await tell();
  expect(await of(budget)).toEqual(['Ben "B" 100', 'ann 50']);
  expect((await alertsOf(budget)).map(({ text }) => text).sort()).toEqual([
    'The part of "Ben \\"B\\"" in the budget each of once@example.com is used up: $10 of $10 are spent.',
    'The part of "ann" in the budget each of once@example.com has come to 50 %: $5 of $10 are spent.',
  ]);
  [due, forgetsWhatItIsTold] = [[], false];
  reach(budget, { ann: 80 });
  await tell();
  expect(due).toEqual([]);
  expect(await of(budget)).toEqual(['Ben "B" 100', 'ann 50', 'ann 80']);
});

it('are told a page at a time, and what is no more so is told to nobody', async () => {
  const budget = await makeBudget('many@example.com', 'many');
  reach(budget, Object.fromEntries(Array.from({ length: 230 }, (_, index) => [`user-${index}`, 50])));
  await tell();
  expect(due).toEqual([]);
  expect(await of(budget)).toHaveLength(230);
  reach(budget, { ann: 50 }, 7);
  await tell();
  expect(await of(budget)).toHaveLength(230);
});

it('stand in one mail an hour, those nearest to the limit first, and in none where nobody came further', async () => {
  const budget = await makeBudget('mail@example.com', 'mailed');
  reach(budget, { ann: 80, ben: 50 });
  await Promise.all([tell(), tell()]);
  const [mail, ...others] = await mailsTo('mail@example.com');
  expect(others).toEqual([]);
  expect(mail?.subject).toBe('The budget mailed: end users near their limit');
  expect(mail?.body).toContain('80 %, $8: "ann"\n  50 %, $5: "ben"\n');
  expect(mail?.body).toContain(
    `This is of its window until 2026-12-01 00:00 UTC. Others: https://tollgate.example/budgets/${budget.id}\n`,
  );
  reach(budget, { cleo: 100 });
  await tell();
  expect(await mailsTo('mail@example.com')).toHaveLength(1);
  await passAnHour(budget);
  await Promise.all([tell(), tell()]);
  expect((await mailsTo('mail@example.com'))[0]?.body).toContain('100 %, $10: "cleo"');
  await passAnHour(budget);
  await tell();
  expect(await mailsTo('mail@example.com')).toHaveLength(2);
});

it('stand in a mail of the window in which they came so far, also when that is over before its hour', async () => {
  const budget = await makeBudget('windows@example.com', 'windows', 'hour');
  const bodies = async () => (await mailsTo('windows@example.com')).map(({ body }) => body);
  reach(budget, { ann: 100 });
  await tell();
  reach(budget, { cleo: 100 });
  await tell();
  expect(await bodies()).toHaveLength(1);
  windowAtHand += 3_600_000;
  await passAnHour(budget);
  await Promise.all([tell(), tell()]);
  expect(await bodies()).toHaveLength(2);
  expect((await bodies())[0]).toContain('100 %, $10: "cleo"');
  // Another is due in an hour, when names come so far in the next window.
  reach(budget, { dave: 100 });
  await tell();
  windowAtHand += 3_600_000;
  reach(budget, { eve: 100 });
  await Promise.all([tell(), tell()]);
  await tell();
  const [mail, ...others] = await bodies();
  expect(others).toHaveLength(2);
  expect(mail).toContain('"dave"');
  expect(mail).not.toContain('"eve"');
  await passAnHour(budget);
  await tell();
  expect((await bodies())[0]).toContain('"eve"');
});

it('are told in one order of budgets, in whatever order metering tells them', async () => {
  const [first, last] = [await makeBudget('first@example.com', 'first'), await makeBudget('last@example.com', 'last')];
  reach(last, { ann: 50 });
  reach(first, { ann: 50 });
  await tell();
  reach(last, { ben: 50 });
  reach(first, { ben: 50 });
  const turns = await rig.database.$transaction(async (other) => {
    await other.$executeRaw`UPDATE budget_name_mail SET is_due = true WHERE budget_id = ${first.id}::uuid`;
    const told = tell();
    await eventually(async () => {
      const waiting = await rig.database.$queryRaw<object[]>`
        SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%budget_name_mail%'`;
      return waiting.length > 0;
    });
    // What waits for the first holds no other.
    await other.$executeRaw`SELECT FROM budget_name_mail WHERE budget_id = ${last.id}::uuid FOR UPDATE NOWAIT`;
    return [told];
  });
  await Promise.all(turns);
  expect(due).toEqual([]);
});

it('of a budget by the hour are told only that it is used up', async () => {
  const budget = await makeBudget('hourly@example.com', 'hourly', 'hour');
  reach(budget, { ann: 50, ben: 80 });
  await tell();
  expect(due).toEqual([]);
  expect(await of(budget)).toEqual([]);
  expect(await mailsTo('hourly@example.com')).toEqual([]);
  reach(budget, { ann: 100 });
  await tell();
  expect(await of(budget)).toEqual(['ann 100']);
  expect(await mailsTo('hourly@example.com')).toHaveLength(1);
});

it('that came to several at once are told to programs of each, and once to people', async () => {
  await rig.ask('createWebhook', {
    ...{ name: 'slack', form: 'slack', url: 'https://localhost:1/', kinds: ['budget.threshold'] },
  });
  const budget = await makeBudget('jump@example.com', 'jump');
  reach(budget, { ann: 100, ben: 80, cleo: 50 }, 10, { ann: 0, ben: 50, cleo: 0 });
  await Promise.all([tell(), tell()]);
  expect(await of(budget)).toEqual(['ann 100', 'ann 50', 'ann 80', 'ben 80', 'cleo 50']);
  const where = { kind: 'budget.threshold', webhook: { form: 'slack' } };
  const bodies = (await rig.database.webhookDelivery.findMany({ where })).map(({ body }) => body);
  expect(bodies.filter((body) => body.includes('jump')).sort()).toEqual([
    expect.stringContaining(
      'of \\"ann\\" in the budget jump of jump@example.com is used up, and came to 50 % and 80 % at once:',
    ),
    expect.stringContaining('of \\"ben\\" in the budget jump of jump@example.com has come to 80 %:'),
    expect.stringContaining('of \\"cleo\\" in the budget jump of jump@example.com has come to 50 %:'),
  ]);
});

it('that were refused a request are told of that apart, and of what they spent', async () => {
  const budget = await makeBudget('refused@example.com', 'refused');
  const refusal = { mayCostNanoUsd: '7000000000', leftNanoUsd: '6000000000' };
  reach(budget, { ann: 0 }, 10, { ann: 0 }, 4);
  due = due.map((one) => ({ ...one, refusal }));
  await tell();
  expect(due).toEqual([]);
  expect(await of(budget)).toEqual(['ann 0']);
  expect(await alertsOf(budget)).toMatchObject([
    {
      text: 'The part of "ann" in the budget refused of refused@example.com refused a request, as too little was left: $4 of $10 are spent, and the request might have cost $7, with $6 left.',
      refused_usd: '7',
    },
  ]);
  // No name came near its limit, which is what mails tell of.
  expect(await mailsTo('refused@example.com')).toEqual([]);
  reach(budget, { ann: 100 }, 10, { ann: 0 });
  await tell();
  expect(await of(budget)).toEqual(['ann 0', 'ann 100', 'ann 50', 'ann 80']);
  expect(await mailsTo('refused@example.com')).toHaveLength(1);
});

it('that came to 100 % before a correction lowered their sum were refused nothing', async () => {
  const budget = await makeBudget('corrected@example.com', 'corrected');
  reach(budget, { ann: 100 }, 10, { ann: 0 }, 9);
  await tell();
  expect(due).toEqual([]);
  expect(await of(budget)).toEqual(['ann 50', 'ann 80']);
});

it('that were refused a request are told apart by a metering of the release before, too, which says 100 %', async () => {
  refusalsApart = undefined;
  const budget = await makeBudget('before@example.com', 'before');
  reach(budget, { ann: 100 }, 10, { ann: 0 }, 4);
  reach(budget, { ben: 100 }, 10, { ben: 0 }, 6);
  await tell();
  expect(await of(budget)).toEqual(['ann 0', 'ben 0', 'ben 50']);
  expect((await alertsOf(budget)).map(({ text }) => text)).toContain(
    'The part of "ann" in the budget before of before@example.com refused a request, as too little was left: $4 of $10 are spent.',
  );
});

it('of a metering that does not tell what was told before are told of the highest', async () => {
  refusalsApart = undefined;
  const budget = await makeBudget('older@example.com', 'older');
  reach(budget, { ann: 100 });
  await tell();
  expect(await of(budget)).toEqual(['ann 100']);
});
