import { HeardIncidents } from './heard-incidents';
import type { ToldIncident } from './told-incidents';

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
