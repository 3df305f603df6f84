import type { NatsConnection } from 'nats';
import { deploymentHealth, healthReport, type HealthReport } from '@tollgate/contracts/inference';
import { createLogger } from '@tollgate/observability';
import type { PeriodicWork } from '@tollgate/service';
import { IncidentWatch, HeardIncidents } from './incident-watch';
import type { Incidents } from './incidents';
import type { ToldIncident } from './told-incidents';

type Heard = (error: null, message: { data: Uint8Array }) => void;

/** A watch whose turns the test takes, over incidents that are written as `outcome` says. */
function setUp(outcome: () => Promise<boolean>) {
  const written: ToldIncident[][] = [];
  let hear: Heard = () => undefined;
  let turn: () => Promise<unknown> = () => Promise.resolve();
  const write = (told: ToldIncident[]) => {
    written.push(told);
    return outcome();
  };
  const subscribe = (_subject: string, { callback }: { callback: Heard }) => void (hear = callback);
  const add = ({ name, run }: { name: string; run: () => Promise<unknown> }) => {
    if (name === 'incidents') turn = run;
  };
  const watch = new IncidentWatch(
    { write } as unknown as Incidents,
    { subscribe } as unknown as NatsConnection,
    createLogger('catalog', 'silent'),
    { add } as unknown as PeriodicWork,
  );
  watch.onModuleInit();
  const tell = (report: HealthReport) => hear(null, { data: Buffer.from(JSON.stringify(report)) });
  return { written, tell, turn: () => turn() };
}

const reportOf = (instance: string, deployment: string): HealthReport =>
  healthReport.parse({
    instance,
    deployments: [
      deploymentHealth.parse({
        ...{ deployment, provider: 'acme', state: 'open', timesOpened: 1, retryInMs: 0, concurrencyLimit: null },
        ...{ openForMs: 0, why: '503' },
      }),
    ],
  });

it('writes nothing when it hears, and in its turn each incident once, however many instances told of it', async () => {
  const { written, tell, turn } = setUp(() => Promise.resolve(true));
  for (let instance = 0; instance < 100; instance += 1) {
    tell(reportOf(`inference-${instance}`, 'acme-eu'));
    tell(reportOf(`inference-${instance}`, 'acme-us'));
  }
  expect(written).toEqual([]);
  await turn();
  await turn();
  expect(written.map((told) => told.map(({ deployment }) => deployment))).toEqual([['acme-eu', 'acme-us']]);
});

it.each([
  ['another catalog writes', () => Promise.resolve(false), null],
  ['the table is not there', () => Promise.reject(new Error('no table')), 'no table'],
])('keeps what it heard for its next turn where %s', async (_why, outcome, thrown) => {
  const outcomes = [outcome, () => Promise.resolve(true)];
  const { written, tell, turn } = setUp(() => (outcomes.shift() ?? outcome)());
  tell(reportOf('inference-1', 'acme-eu'));
  const first = turn();
  if (thrown === null) await first;
  else await expect(first).rejects.toThrow(thrown);
  await turn();
  await turn();
  expect(written.map((told) => told.map(({ deployment }) => deployment))).toEqual([['acme-eu'], ['acme-eu']]);
});

it('loses what Postgres refuses alone, and keeps what it could not write of the others', async () => {
  const refused = Object.assign(new Error('integer out of range'), { code: '22003' });
  const outcomes = [refused, null, refused, new Error('no table')];
  const { written, tell, turn } = setUp(async () => {
    const error = outcomes.shift();
    if (error) throw error;
    return true;
  });
  for (const deployment of ['acme-eu', 'never', 'acme-us']) tell(reportOf('inference-1', deployment));
  await expect(turn()).rejects.toThrow('no table');
  await turn();
  await turn();
  expect(written.map((told) => told.map(({ deployment }) => deployment))).toEqual([
    ...[['acme-eu', 'never', 'acme-us'], ['acme-eu'], ['never'], ['acme-us']],
    ['acme-us'],
  ]);
});

it.each(['P2021', '42P01', 'P1001'])('removes old ones later where the database says %s', async (code) => {
  const sweep = jest
    .fn()
    .mockRejectedValueOnce(Object.assign(new Error('no'), { code }))
    .mockRejectedValue(new Error('a bug'));
  let turn: () => Promise<unknown> = () => Promise.resolve();
  const add = (work: { name: string; run: () => Promise<unknown> }) => {
    if (work.name === 'old incidents') turn = work.run;
  };
  new IncidentWatch(
    { sweep } as unknown as Incidents,
    {} as unknown as NatsConnection,
    createLogger('catalog', 'silent'),
    { add } as unknown as PeriodicWork,
  );
  await turn();
  await expect(turn()).rejects.toThrow('a bug');
});

const told = (changes: Partial<ToldIncident> = {}): ToldIncident => ({
  ...{ deployment: 'acme-eu', provider: 'acme', kind: 'failing', since: 1_000, why: '503', callers: 1 },
  ...{ heldBy: null, seenAt: 2_000 },
  ...changes,
});

it('makes one of what however many instances tell of, with the newest cause and the most callers', () => {
  const heard = new HeardIncidents();
  for (let instance = 0; instance < 1_000; instance += 1)
    heard.hear([told({ since: 1_000 + instance, seenAt: 2_000 + instance, callers: instance })]);
  heard.hear([told({ seenAt: 9_000, why: null, since: 1_500 }), told({ seenAt: 500, why: 'no answer', since: 400 })]);
  expect(heard.take()).toEqual([told({ since: 400, seenAt: 9_000, callers: 999 })]);
  expect(heard.take()).toEqual([]);
});

it('tells decisions of operators apart, and takes back what could not be written', () => {
  const heard = new HeardIncidents();
  const closed = told({ kind: 'closed', heldBy: 'ada@example.com', callers: null });
  heard.hear([closed, { ...closed, since: 5_000 }, told({ callers: null }), told()]);
  const all = heard.take();
  expect(all).toEqual([closed, { ...closed, since: 5_000 }, told({ callers: null })]);
  heard.hear([{ ...closed, seenAt: 6_000 }]);
  heard.hear(all);
  expect(heard.take()).toEqual([{ ...closed, seenAt: 6_000 }, { ...closed, since: 5_000 }, told({ callers: null })]);
});

it('tells failures apart between which nobody told of any, as where Postgres was away for an hour', () => {
  const heard = new HeardIncidents();
  const hour = 3_600_000;
  const late = told({ since: hour, seenAt: hour });
  heard.hear([told(), told({ seenAt: 22_000 }), late]);
  expect(heard.take()).toEqual([told({ seenAt: 22_000 }), late].reverse());
  heard.hear([late, told()]);
  expect(heard.take()).toEqual([late, told()]);
});

it('takes one that nobody told of for a while for the same where its begin says so', () => {
  const heard = new HeardIncidents();
  heard.hear([told(), told({ seenAt: 40_000 })]);
  expect(heard.take()).toEqual([told({ seenAt: 40_000 })]);
});

it('holds no more than 10,000, the newest', () => {
  const heard = new HeardIncidents();
  for (let one = 0; one < 10_001; one += 1) heard.hear([told({ deployment: `acme-${one}` })]);
  const all = heard.take();
  expect([all.length, all[0]?.deployment]).toEqual([10_000, 'acme-1']);
});
