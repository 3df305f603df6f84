import { ControlError } from '@tollgate/contracts';
import type { ToldSnapshot } from '@tollgate/contracts/catalog';
import type { ControlClient } from '@tollgate/messaging';
import { createLogger } from '@tollgate/observability';
import { aSnapshot } from '@tollgate/testing';
import { Events, type NatsConnection } from 'nats';
import { Registry } from 'prom-client';
import { CatalogFollower } from './catalog-follower';

const logger = createLogger('test', 'silent');
const followers: CatalogFollower[] = [];

/** A connection over which no notice comes; `restore` tells that it was lost and is back. */
function aConnection(): { connection: NatsConnection; restore(): Promise<void> } {
  const statuses: { type: Events }[] = [];
  let tell: () => void = () => undefined;
  async function* status(): AsyncGenerator<{ type: Events; data: string }> {
    for (;;) {
      for (const { type } of statuses.splice(0)) yield { type, data: '' };
      await new Promise<void>((resolve) => (tell = resolve));
    }
  }
  const connection = { subscribe: () => ({ unsubscribe: () => undefined }), status, isClosed: () => false };
  return {
    connection: connection as unknown as NatsConnection,
    restore: async () => {
      statuses.push({ type: Events.Disconnect }, { type: Events.Reconnect });
      tell();
      await jest.advanceTimersByTimeAsync(0);
    },
  };
}

/**
 * A catalog that gives its answers in order, the last one for ever; null means that it is away. Not followed
 * yet. `toldWhole`: how often it told all of one.
 */
function catalogWith(...answers: (ToldSnapshot | null)[]) {
  const heard: number[] = [];
  let asked = 0;
  let toldWhole = 0;
  const call = jest.fn(async (_operation: unknown, { unless }: { unless?: string }) => {
    const answer = answers[Math.min(asked++, answers.length - 1)];
    if (!answer) throw new ControlError('unavailable', 'nobody answers');
    if (unless !== undefined && answer.digest === unless) return { revision: answer.revision, isSame: true };
    toldWhole += 1;
    return answer;
  });
  // The one operation that is asked here has one kind of reply.
  const control = { call } as unknown as Pick<ControlClient, 'call'>;
  const { connection, restore } = aConnection();
  const registry = new Registry();
  const follower = new CatalogFollower(connection, control, logger, ({ revision }) => heard.push(revision), registry);
  followers.push(follower);
  return { follower, heard, restore, registry, asked: () => asked, toldWhole: () => toldWhole };
}

const revision = (number: number): ToldSnapshot => ({ ...aSnapshot({ revision: number }), leftOut: [] });

beforeEach(() => void jest.useFakeTimers());

afterEach(() => {
  jest.restoreAllMocks();
  for (const follower of followers.splice(0)) follower.beforeApplicationShutdown();
  expect(jest.getTimerCount()).toBe(0);
  jest.useRealTimers();
});

it('is asked for every second until there is one, with one line in the log', async () => {
  const { follower, heard, asked } = catalogWith(null, null, revision(1));
  const [warn, info] = [jest.spyOn(logger, 'warn'), jest.spyOn(logger, 'info')];
  let isThere = false;
  void follower.first().then(() => (isThere = true));
  follower.onModuleInit();
  await jest.advanceTimersByTimeAsync(1_999);
  expect([asked(), isThere, follower.current]).toEqual([2, false, null]);
  await jest.advanceTimersByTimeAsync(1);
  expect([heard, isThere, follower.current?.revision]).toEqual([[1], true, 1]);
  expect(warn).not.toHaveBeenCalled();
  expect(info).toHaveBeenCalledTimes(1);
});

it('is asked for now and then, and stays while catalog is away', async () => {
  const { follower, asked } = catalogWith(revision(1), null);
  follower.onModuleInit();
  await jest.advanceTimersByTimeAsync(29_999);
  expect(asked()).toBe(1);
  await jest.advanceTimersByTimeAsync(1);
  expect([asked(), follower.current?.revision]).toEqual([2, 1]);
});

it('is asked for again a second after a notice that catalog did not answer: it does not come twice', async () => {
  const { follower } = catalogWith(revision(1), null, null, revision(2));
  follower.onModuleInit();
  await follower.first();
  follower.noticed(2);
  await jest.advanceTimersByTimeAsync(1_999);
  expect(follower.current?.revision).toBe(1);
  await jest.advanceTimersByTimeAsync(1);
  expect(follower.current?.revision).toBe(2);
});

it('is asked for on a notice of another revision only', async () => {
  const { follower, asked } = catalogWith(revision(1));
  follower.onModuleInit();
  await follower.first();
  follower.noticed(1);
  expect(asked()).toBe(1);
  follower.noticed(2);
  await follower.refresh();
  expect(asked()).toBeGreaterThan(1);
});

it('is told whole where anything of it is another, and else goes on under the revision of who was asked', async () => {
  const [first, another] = [
    { ...revision(1), digest: 'a' },
    { ...revision(5), digest: 'b', sandbox: true },
  ];
  const { follower, heard, toldWhole } = catalogWith(first, first, { ...first, revision: 5 }, another);
  for (let time = 0; time < 3; time++) await follower.refresh();
  expect([heard, toldWhole(), follower.current]).toEqual([[1, 1, 5], 1, { ...first, revision: 5 }]);
  await follower.refresh();
  expect([toldWhole(), follower.current]).toEqual([2, another]);
});

it('is told whole each time by a catalog of a release that knows no digests', async () => {
  const { follower, toldWhole } = catalogWith({ ...revision(1), digest: 'a' }, revision(1));
  for (let time = 0; time < 3; time++) await follower.refresh();
  expect([toldWhole(), follower.current]).toEqual([3, revision(1)]);
});

it('is asked for when the connection is back, over which a notice may have been missed', async () => {
  const { follower, restore } = catalogWith(revision(1), revision(2));
  follower.onModuleInit();
  await follower.first();
  await restore();
  expect(follower.current?.revision).toBe(2);
});

it('is asked for once more when a notice comes while an answer is under way, so that no change is missed', async () => {
  const { follower, asked } = catalogWith(revision(1), revision(2));
  const first = follower.refresh();
  follower.noticed(2);
  follower.noticed(2);
  await first;
  expect([asked(), follower.current?.revision]).toEqual([2, 2]);
});

it('is no longer waited for, nor asked for, after a stop', async () => {
  const { follower, asked } = catalogWith(null);
  follower.onModuleInit();
  const first = follower.first();
  follower.beforeApplicationShutdown();
  await first;
  await follower.refresh();
  expect([asked(), follower.current]).toEqual([1, null]);
});

it('is used without what this release does not know, which is counted, and told once for each catalog', async () => {
  const leftOut = [{ list: 'models', entry: 'new/model', part: null, why: 'kind' } as const];
  const newer = { ...revision(1), digest: 'a', leftOut };
  const { follower, heard, registry } = catalogWith(newer, newer, { ...revision(1), digest: 'b' });
  const warn = jest.spyOn(logger, 'warn');
  const count = async () => (await registry.getSingleMetric('tollgate_catalog_entries_left_out')?.get())?.values[0];
  await follower.refresh();
  await follower.refresh();
  expect(warn).toHaveBeenCalledTimes(1);
  expect(warn).toHaveBeenCalledWith({ revision: 1, count: 1, first: leftOut }, expect.any(String));
  expect(await count()).toMatchObject({ value: 1 });
  await follower.refresh();
  expect(await count()).toMatchObject({ value: 0 });
  expect(heard).toEqual([1, 1, 1]);
});
