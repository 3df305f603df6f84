import type { EdgeLimitsNotice } from '@tollgate/contracts/edge';
import { FakeClock } from '../../testing/fake-clock';
import { EdgePeers } from './edge-peers';

const told: EdgeLimitsNotice[] = [];
const heard: string[] = [];
let peers: EdgePeers;

beforeEach(() => {
  told.length = 0;
  heard.length = 0;
  peers = new EdgePeers('one', (notice) => void told.push(notice), new FakeClock(), {
    tookUnits: (edge, _shared, units) => void heard.push(`${edge} took ${JSON.stringify(units)}`),
    settled: () => undefined,
    gone: (edge) => void heard.push(`${edge} gone`),
    reached: () => undefined,
    missed: (what) => void heard.push(`missed ${what}`),
    changed: () => undefined,
  });
});
afterEach(() => peers.leave());

function notice(
  sequence: number,
  phase: EdgeLimitsNotice['phase'],
  units: EdgeLimitsNotice['units'] = [],
): EdgeLimitsNotice {
  const standing = { run: null, complete: false, shared: false };
  return { edgeId: 'two', startedAt: 1, sequence, term: 0, seen: {}, phase, units, ...standing };
}

it('answers an edge that starts when it counts itself, since two that start would answer one another for ever', () => {
  peers.hear(notice(1, 'starting'));
  expect(told).toHaveLength(0);
  peers.begin();
  told.length = 0;
  peers.hear(notice(2, 'starting'));
  expect(told).toHaveLength(1);
});

it('counts what an edge took last before it leaves', () => {
  peers.begin();
  peers.hear(notice(1, 'running'));
  peers.hear(notice(2, 'leaving', [['key', 2]]));
  expect(heard).toEqual(['two took [["key",2]]', 'two gone']);
});

it('hears each notice once, in order, and says when one is missing', () => {
  peers.begin();
  peers.hear(notice(1, 'running', [['key', 1]]));
  peers.hear(notice(1, 'running', [['key', 1]]));
  expect(heard).toEqual(['two took [["key",1]]']);
  peers.hear(notice(3, 'running'));
  expect(heard.at(-1)).toBe('missed units');
});

it('does not know which edges there were where the first notices of one were missed', () => {
  peers.begin();
  peers.hear(notice(7, 'running'));
  expect(heard).toEqual(['missed edges']);
});

it('may have been unknown to the others where it hears them again before itself', () => {
  const clock = new FakeClock();
  const missed: string[] = [];
  const edge = new EdgePeers('one', () => undefined, clock, {
    ...{ tookUnits: () => undefined, settled: () => undefined, gone: () => undefined },
    ...{ changed: () => undefined, reached: () => undefined, missed: (what) => void missed.push(what) },
  });
  edge.begin();
  edge.hear(notice(1, 'running'));
  clock.advance(4_000);
  edge.hear(notice(5, 'running'));
  edge.leave();
  expect(missed).toEqual(['edges']);
});

it('may have been unknown to the others where it did not hear itself', () => {
  const clock = new FakeClock();
  const missed: string[] = [];
  let own: EdgeLimitsNotice | undefined;
  const edge = new EdgePeers('one', (told) => void (own = told), clock, {
    ...{ tookUnits: () => undefined, settled: () => undefined, gone: () => undefined },
    ...{ changed: () => undefined, reached: () => undefined, missed: (what) => void missed.push(what) },
  });
  edge.begin();
  clock.advance(4_000);
  edge.tell();
  if (own) edge.hear(own);
  edge.leave();
  expect(missed).toEqual(['edges']);
});

it('names an edge that left as seen until it has acted on that', () => {
  const edge = new EdgePeers('one', (notice) => void told.push(notice), new FakeClock(), {
    ...{ tookUnits: () => undefined, settled: () => undefined, missed: () => undefined, changed: () => undefined },
    ...{ gone: () => edge.stand({ run: null, complete: false }), reached: () => undefined },
  });
  edge.begin();
  edge.stand({ run: 'run', complete: true });
  edge.hear(notice(1, 'running'));
  edge.took('key', 1);
  told.length = 0;
  edge.hear(notice(2, 'leaving'));
  edge.leave();
  expect(told.map(({ seen, complete }) => ({ seen, complete }))).toEqual([
    { seen: { two: 0 }, complete: true },
    { seen: {}, complete: false },
    { seen: {}, complete: false },
  ]);
});

it('counts no word about a log of an edge that does not know yet who is gone', () => {
  peers.begin();
  const third = { ...notice(1, 'running'), edgeId: 'three', run: 'run', complete: true, seen: { two: 0 } };
  peers.hear(notice(1, 'running'));
  peers.hear(third);
  expect([peers.wholeRun, peers.hasComplete('run')]).toEqual(['run', true]);
  peers.hear(notice(2, 'leaving'));
  expect([peers.wholeRun, peers.hasComplete('run')]).toEqual([null, false]);
  peers.hear({ ...third, sequence: 2, seen: {} });
  expect([peers.wholeRun, peers.hasComplete('run')]).toEqual(['run', true]);
});

it('leaves an edge that fell silent its share for a minute, and is deaf when it does not hear itself', () => {
  const clock = new FakeClock();
  let own: EdgeLimitsNotice | undefined;
  const edge = new EdgePeers('one', (told) => void (own = told), clock, {
    ...{ tookUnits: () => undefined, settled: () => undefined, gone: () => undefined, missed: () => undefined },
    ...{ changed: () => undefined, reached: () => undefined },
  });
  edge.begin();
  edge.hear(notice(1, 'running'));
  clock.advance(4_000);
  expect(edge.isDeaf).toBe(true);
  if (own) edge.hear(own);
  edge.took('key', 1);
  edge.stand({});
  if (own) edge.hear(own);
  expect(edge.isDeaf).toBe(false);
  expect([edge.live(), edge.sharers()]).toEqual([['one'], ['two', 'one']]);
  clock.advance(60_001);
  expect(edge.sharers()).toEqual(['one']);
  edge.leave();
});
