import { meteringOperations, metricsPeriods, reportOperations, sliceDimensions } from '@tollgate/contracts/metering';
import type { SliceDimension } from '@tollgate/contracts/metering';
import type { ControlClient } from '@tollgate/messaging';
import type { z } from 'zod';
import { simulatedKey } from '../history';
import { dayMs, pastAccount, windowDays } from './past';
import type { SlicedPast } from './past';
import type { ProjectsOf } from './projects-of';

/** One question, asked in rounds, each of another key or account: the share of it in (0, 1]. */
export type Question = (share: number) => Promise<unknown>;

/** Windows that end now, days; charts have a quarter, too. */
const { quarter, ...windows } = windowDays;
const chartWindows = { ...windows, quarter };
/** Which of three keys say it: see `simulateDay`. */
const sayers: Record<SliceDimension, number> = { end_user: 0, session: 1, agent: 1, tag: 2 };
/** Days of the last are cut within hours. */
const timeZones = ['America/Los_Angeles', 'Asia/Kolkata'] as const;
const timeoutMs = 60_000;

/** Everything that reports who spent it, by what it is called in the table. */
export function sliceQuestions(
  client: Pick<ControlClient, 'call'>,
  past: SlicedPast,
  projectsOf: ProjectsOf,
): Record<string, Question> {
  const all: Record<string, Question> = {};
  for (const dimension of sliceDimensions) Object.assign(all, ofDimension(client, past, dimension));
  for (const [name, days] of Object.entries(windows)) {
    const { window, accountNumber } = windowsOf(past, days);
    const byProject = (account: number) =>
      client.call(
        reportOperations.projects,
        { ...window, accountId: pastAccount(account), projects: projectsOf(account), most: 100 },
        { timeoutMs },
      );
    all[`account by project, ${name}`] = (share) => byProject(accountNumber(share));
    all[`largest account by project, ${name}`] = () => byProject(0);
  }
  return { ...all, ...charts(client, past), ...exports(client, past) };
}

function ofDimension(
  client: Pick<ControlClient, 'call'>,
  past: SlicedPast,
  dimension: SliceDimension,
): Record<string, Question> {
  const all: Record<string, Question> = {};
  const keyId = (share: number) => simulatedKey(Math.floor((share * past.keys) / 3) * 3 + sayers[dimension]);
  for (const period of metricsPeriods)
    all[`/api/metrics of a key by ${dimension}, ${period}`] = (share) =>
      client.call(meteringOperations.metrics, { keyId: keyId(share), period, divideBy: dimension }, { timeoutMs });
  for (const [name, days] of Object.entries(windows)) {
    const { window, accountNumber } = windowsOf(past, days);
    const slices = (whose: ({ accountId: string } | { keyIds: string[] }) & { model?: string }, most = 100) =>
      client.call(reportOperations.slices, { ...window, ...whose, dimension, most }, { timeoutMs });
    all[`key by ${dimension}, ${name}`] = (share) => slices({ keyIds: [keyId(share)] });
    all[`account by ${dimension}, ${name}`] = (share) => slices({ accountId: pastAccount(accountNumber(share)) });
    all[`largest account by ${dimension}, ${name}`] = () => slices({ accountId: pastAccount(0) });
    const [model] = past.models;
    all[`largest account by ${dimension}, of a model, ${name}`] = () =>
      slices({ accountId: pastAccount(0), model: model?.id ?? '' });
    all[`key by ${dimension}, of a model, ${name}`] = (share) =>
      slices({ keyIds: [keyId(share)], model: model?.id ?? '' });
    if (name === 'month')
      all[`largest account by ${dimension}, month, as CSV`] = () => slices({ accountId: pastAccount(0) }, 1_000);
  }
  return all;
}

/** Slices by model, provider, key and account are lines of charts. */
function charts(client: Pick<ControlClient, 'call'>, past: SlicedPast): Record<string, Question> {
  const all: Record<string, Question> = {};
  for (const [name, days] of Object.entries(chartWindows)) {
    const { window, accountNumber } = windowsOf(past, days);
    const step = name === 'day' ? ('hour' as const) : ('day' as const);
    for (const groupBy of ['model', 'provider', 'key', 'account'] as const) {
      const chart = (asked: Partial<z.input<typeof reportOperations.series.request>>) =>
        client.call(reportOperations.series, { ...window, ...asked, step, groupBy }, { timeoutMs });
      const accountId = pastAccount(0);
      const model = past.models[0]?.id ?? '';
      if (groupBy !== 'account') {
        all[`largest account by ${groupBy}, ${name}`] = () => chart({ accountId });
        for (const timeZone of timeZones)
          all[`largest account by ${groupBy}, ${timeZone}, ${name}`] = () => chart({ accountId, timeZone });
        for (const timeZone of ['UTC', ...timeZones])
          all[`busiest key by ${groupBy}, ${timeZone}, ${name}`] = () =>
            chart({ accountId, keyIds: [simulatedKey(0)], timeZone });
        all[`largest account by ${groupBy}, of a model, ${name}`] = () => chart({ accountId, model });
        for (const timeZone of ['UTC', ...timeZones])
          all[`account by ${groupBy}, ${timeZone}, ${name}`] = (share) =>
            chart({ accountId: pastAccount(accountNumber(share)), timeZone });
      }
      all[`everybody by ${groupBy}, ${name}`] = () => chart({});
      for (const timeZone of timeZones)
        all[`everybody by ${groupBy}, ${timeZone}, ${name}`] = () => chart({ timeZone });
      for (const timeZone of ['UTC', ...timeZones])
        all[`everybody by ${groupBy}, of a model, ${timeZone}, ${name}`] = () => chart({ model, timeZone });
      // As it is downloaded.
      if (name === 'month') all[`everybody by ${groupBy}, ${name}, 100 lines`] = () => chart({ maxLines: 100 });
    }
  }
  return all;
}

/** The first page of what is downloaded. */
function exports(client: Pick<ControlClient, 'call'>, past: SlicedPast): Record<string, Question> {
  const { window } = windowsOf(past, windows.month);
  const requests = (asked: object) =>
    client.call(reportOperations.listRequests, { ...window, ...asked, limit: 200 }, { timeoutMs });
  const days = (whose: { accountId?: string }) => {
    const [from, to] = [window.startAt, window.endAt].map((time) => new Date(time).toISOString().slice(0, 10));
    return client.call(reportOperations.days, { ...whose, from: from ?? '', to: to ?? '' }, { timeoutMs });
  };
  const largest = { accountId: pastAccount(0) };
  return {
    'requests of a key': (share) => requests({ keyIds: [simulatedKey(Math.floor(share * past.keys))] }),
    'requests of the largest account': () => requests(largest),
    'requests of the largest account with a tag': () => requests({ ...largest, tag: 'env:staging' }),
    'requests of the largest account of an agent': () => requests({ ...largest, agent: 'aider' }),
    'requests of a key of an end user': (share) =>
      requests({ keyIds: [simulatedKey(0)], endUser: `user-0-${Math.floor(share * share * 1_000)}` }),
    'requests of everybody': () => requests({}),
    'days of the largest account (FOCUS)': () => days(largest),
    'days of everybody (FOCUS)': () => days({}),
  };
}

function windowsOf(past: SlicedPast, days: number) {
  const { untilMs, accounts } = past;
  return {
    window: { startAt: untilMs - days * dayMs, endAt: untilMs },
    accountNumber: (share: number) => Math.min(accounts - 1, Math.floor(share * accounts)),
  };
}
