import { Chance } from '@tollgate/testing';
import { SimulatedFleet } from './simulation/fleet';
import type { Asked, SimulatedEdge } from './simulation/fleet';

const limit = 10;

/** Edges that hear one another at once, and an older one that stands shared. */
async function fleetWithOlderEdge(): Promise<SimulatedFleet> {
  const fleet = new SimulatedFleet(new Chance(1), { slowestMs: 2, doubled: 0, outOfOrder: false });
  void fleet.start();
  await fleet.time.playUntil(3_000);
  expect(fleet.edges[0]?.store.isShared).toBe(true);
  return fleet;
}

/** A second edge, which cannot ask Valkey while it starts: it knows nothing of the last minute. */
async function startBlind(fleet: SimulatedFleet): Promise<void> {
  const { time, valkey } = fleet;
  valkey.freeze(5_000);
  void fleet.start();
  await time.playUntil(time.nowMs + 4_000);
  expect(fleet.edges[1]?.store.isShared).toBe(false);
}

function edge(fleet: SimulatedFleet, number: number) {
  const found = fleet.edges[number];
  if (!found) throw new Error(`there is no edge ${number}`);
  return found;
}

/** More edges, which stand shared for so long that they know the whole last minute. */
async function startMore(fleet: SimulatedFleet, edges: number): Promise<void> {
  for (let one = 0; one < edges; one++) void fleet.start();
  await fleet.time.playUntil(fleet.time.nowMs + 70_000);
  expect(fleet.edges.every(({ store }) => store.isShared)).toBe(true);
}

/** A second edge, which reaches no Valkey for so long, and only hears of a log that is whole. */
async function startWithoutValkey(fleet: SimulatedFleet, forMs: number): Promise<void> {
  void fleet.start();
  edge(fleet, 1).log.cut(forMs);
  await fleet.time.playUntil(fleet.time.nowMs + 5_000);
  expect(edge(fleet, 1).store.isShared).toBe(false);
}

/** Edge 0 takes its share without Valkey, of which the others hear nothing, and leaves. */
async function leaveUnheard(fleet: SimulatedFleet, justBefore?: (fleet: SimulatedFleet) => void): Promise<Asked[]> {
  const { time } = fleet;
  for (const other of fleet.edges.slice(1)) cut(other, { untilMs: time.nowMs + 300, isHeld: false });
  const taken = Array.from({ length: limit }, () => fleet.ask(edge(fleet, 0), 'key', limit));
  await time.playUntil(time.nowMs + 1_400);
  justBefore?.(fleet);
  await time.playUntil(time.nowMs + 100);
  fleet.stop(edge(fleet, 0));
  return taken;
}

/** Each edge learns that its Valkey is away, by a request whose unit it gives back. */
async function loseValkey(fleet: SimulatedFleet, forMs: readonly number[]): Promise<void> {
  forMs.forEach((ms, number) => edge(fleet, number).log.cut(ms));
  const asked = forMs.map((_, number) => fleet.ask(edge(fleet, number), 'other', limit));
  await fleet.time.playUntil(fleet.time.nowMs + 3_000);
  asked.forEach((one) => fleet.giveBack(one));
  await fleet.time.playUntil(fleet.time.nowMs + 2_000);
  expect(fleet.edges.some(({ store }) => store.isShared)).toBe(false);
}

function countOf(asked: readonly Asked[]): number {
  return asked.filter(({ admitted }) => admitted).length;
}

/** Nothing comes to it or goes from it; what was sent meanwhile comes then, where it is held. */
function cut(one: SimulatedEdge, { untilMs, isHeld }: { untilMs: number; isHeld: boolean }): void {
  one.cutUntilMs = untilMs;
  one.isHeld = isHeld;
}

async function askedOf(fleet: SimulatedFleet, number: number): Promise<Asked> {
  const asked = fleet.ask(edge(fleet, number), 'key', limit);
  await fleet.time.playUntil(fleet.time.nowMs + 7_000);
  return asked;
}

/** True when an edge left Valkey as another started beside it. */
async function leftForNewcomer(seed: number): Promise<boolean> {
  const fleet = new SimulatedFleet(new Chance(seed), { slowestMs: 40, doubled: 0, outOfOrder: false });
  await startMore(fleet, 3);
  const older = [...fleet.edges];
  void fleet.start();
  let hasLeft = false;
  for (let ms = 0; ms < 3_000; ms += 5) {
    await fleet.time.playUntil(fleet.time.nowMs + 5);
    hasLeft ||= older.some(({ store }) => !store.isShared);
  }
  expect(edge(fleet, 3).store.isShared).toBe(true);
  return hasLeft;
}

it('an edge that starts makes no other leave Valkey, however long each notice and answer takes', async () => {
  const left: number[] = [];
  for (let seed = 0; seed < 20; seed++) if (await leftForNewcomer(seed)) left.push(seed);
  expect(left).toEqual([]);
});

describe('an edge that could not know what others took', () => {
  it('knows it as soon as all decide by Valkey, and takes within its share when that goes away again', async () => {
    const fleet = await fleetWithOlderEdge();
    await startBlind(fleet);
    await fleet.time.playUntil(fleet.time.nowMs + 4_000);
    expect(edge(fleet, 1).store.isShared).toBe(true);
    fleet.stop(edge(fleet, 0));
    fleet.valkey.kill();
    expect((await askedOf(fleet, 1)).admitted).toBe(true);
  });

  it('reads the log of all once where it starts beside older edges', async () => {
    const fleet = await fleetWithOlderEdge();
    void fleet.start();
    const read = jest.spyOn(edge(fleet, 1).log, 'read');
    await fleet.time.playUntil(fleet.time.nowMs + 4_000);
    expect(edge(fleet, 1).store.isShared).toBe(true);
    expect(read).toHaveBeenCalledTimes(1);
  });

  it('goes on by a log of which an edge that left had told that it is whole', async () => {
    const fleet = await fleetWithOlderEdge();
    await startBlind(fleet);
    edge(fleet, 1).log.cut(4_000);
    await fleet.time.playUntil(fleet.time.nowMs + 3_000);
    expect(edge(fleet, 1).store.isShared).toBe(false);
    fleet.stop(edge(fleet, 0));
    await fleet.time.playUntil(fleet.time.nowMs + 3_000);
    expect(edge(fleet, 1).store.isShared).toBe(true);
    expect((await askedOf(fleet, 1)).admitted).toBe(true);
  });

  it('says that it cannot decide, and not that the limit is reached, while nobody can be asked', async () => {
    const fleet = await fleetWithOlderEdge();
    await startBlind(fleet);
    edge(fleet, 1).log.cut(4_000);
    fleet.stop(edge(fleet, 0));
    const asked = Promise.resolve(edge(fleet, 1).store.take('key', limit));
    const refused = expect(asked).rejects.toMatchObject({ status: 503 });
    await fleet.time.playUntil(fleet.time.nowMs + 2_500);
    await refused;
  });

  it('fills no new Valkey while it hears nobody: it may have missed what the others took', async () => {
    const fleet = await fleetWithOlderEdge();
    const { time, valkey } = fleet;
    void fleet.start();
    await time.playUntil(time.nowMs + 3_000);
    const fromMs = time.nowMs;
    cut(edge(fleet, 0), { untilMs: fromMs + 25_000, isHeld: true });
    const taken = Array.from({ length: limit }, () => fleet.ask(edge(fleet, 1), 'key', limit));
    time.at(fromMs + 8_000, () => valkey.kill());
    time.at(fromMs + 14_000, () => cut(edge(fleet, 1), { untilMs: fromMs + 21_000, isHeld: false }));
    time.at(fromMs + 22_000, () => valkey.start());
    await time.playUntil(fromMs + 27_000);
    expect(taken.every(({ admitted }) => admitted)).toBe(true);
    expect((await askedOf(fleet, 0)).admitted).toBe(false);
  });

  it.each([
    { what: 'it stood by it before', others: (fleet: SimulatedFleet) => startMore(fleet, 1), awayMs: [12_000] },
    {
      what: 'it only heard of it',
      others: (fleet: SimulatedFleet) => startWithoutValkey(fleet, 11_000),
      awayMs: [12_000],
    },
    { what: 'it joined it again before', others: (fleet: SimulatedFleet) => startMore(fleet, 1), awayMs: [2_000] },
    {
      what: 'another, which missed it too, had called it whole before that left',
      others: (fleet: SimulatedFleet) => startMore(fleet, 2),
      awayMs: [2_000, 2_000],
    },
    {
      what: 'one that starts heard that it is whole just before that left',
      others: (fleet: SimulatedFleet) => startMore(fleet, 2),
      awayMs: [2_000, 2_000],
      justBefore: (fleet: SimulatedFleet) => void fleet.start(),
    },
  ])(
    'calls no log whole that lacks what it missed of an edge that left: $what',
    async ({ others, awayMs, justBefore }) => {
      const fleet = await fleetWithOlderEdge();
      await others(fleet);
      await loseValkey(fleet, [60_000, ...awayMs]);
      const taken = await leaveUnheard(fleet, justBefore);
      await fleet.time.playUntil(fleet.time.nowMs + 10_000);
      const late = Array.from({ length: limit }, () => fleet.ask(edge(fleet, 1), 'key', limit));
      await fleet.time.playUntil(fleet.time.nowMs + 5_000);
      expect(countOf(taken)).toBeGreaterThan(0);
      expect(countOf([...taken, ...late])).toBeLessThanOrEqual(limit);
    },
  );
});
