import { Chance } from '@tollgate/testing';
import { SimulatedFleet } from './simulation/fleet';
import type { Asked, SimulatedEdge } from './simulation/fleet';

const limit = 12;

/** Three edges that decide by Valkey. */
async function fleetOfThree(): Promise<{ fleet: SimulatedFleet; first: SimulatedEdge; others: SimulatedEdge[] }> {
  const fleet = new SimulatedFleet(new Chance(3), { slowestMs: 2, doubled: 0, outOfOrder: false });
  for (let edge = 0; edge < 3; edge++) void fleet.start();
  await fleet.time.playUntil(70_000);
  expect(fleet.edges.every(({ store }) => store.isShared)).toBe(true);
  const [first, ...others] = fleet.edges;
  if (!first) throw new Error('there is no edge');
  return { fleet, first, others };
}

function askAll(fleet: SimulatedFleet, edges: readonly SimulatedEdge[], times: number): Asked[] {
  return edges.flatMap((edge) => Array.from({ length: times }, () => fleet.ask(edge, 'key', limit)));
}

const admitted = (asked: readonly Asked[]): number => asked.filter((one) => one.admitted).length;

it.each([
  { cutMs: 30_000, isHeld: false, askMs: 0, killMs: 500 },
  { cutMs: 8_000, isHeld: false, askMs: 0, killMs: 500 },
  { cutMs: 3_500, isHeld: true, askMs: 1_400, killMs: 2_200 },
  { cutMs: 3_500, isHeld: false, askMs: 1_400, killMs: 2_200 },
  { cutMs: 2_700, isHeld: true, askMs: 1_000, killMs: 1_500 },
])('an edge that is cut off while Valkey dies breaks no limit: %j', async ({ cutMs, isHeld, askMs, killMs }) => {
  const { fleet, first, others } = await fleetOfThree();
  const { time, valkey } = fleet;
  const [startMs, asked] = [time.nowMs, [] as Asked[]];
  Object.assign(first, { cutUntilMs: startMs + cutMs, isHeld });
  await time.playUntil(startMs + askMs);
  asked.push(...askAll(fleet, [first], limit));
  await time.playUntil(startMs + killMs);
  valkey.kill();
  asked.push(...askAll(fleet, others, limit));
  await time.playUntil(startMs + killMs + 6_000);
  valkey.start();
  await time.playUntil(startMs + 15_000);
  asked.push(...askAll(fleet, fleet.edges, limit));
  await time.playUntil(startMs + 25_000);
  expect(admitted(asked)).toBeLessThanOrEqual(limit);
  await time.playUntil(startMs + 150_000);
  expect(fleet.edges.every(({ store }) => store.isShared)).toBe(true);
});

it('answers a burst on one edge as soon as it has heard itself', async () => {
  const { fleet, first } = await fleetOfThree();
  const asked = askAll(fleet, [first], 2 * limit);
  await fleet.time.playUntil(fleet.time.nowMs + 100);
  expect(admitted(asked)).toBe(limit);
});

it('takes no unit of Valkey for a request that was asked there when the connection broke', async () => {
  const { fleet, first } = await fleetOfThree();
  const { time } = fleet;
  const asked = [fleet.ask(first, 'key', limit)];
  first.log.broke();
  await time.playUntil(time.nowMs + 2_000);
  expect(first.store.isShared).toBe(true);
  asked.push(...askAll(fleet, [first], limit));
  await time.playUntil(time.nowMs + 100);
  expect(admitted(asked)).toBe(limit);
});

it('lets in whom there is room for, also where the connection broke when Valkey was asked', async () => {
  const { fleet, first, others } = await fleetOfThree();
  const { time } = fleet;
  askAll(fleet, [first], limit - 1);
  await time.playUntil(time.nowMs + 100);
  const asked = askAll(fleet, others.slice(0, 1), 1);
  others[0]?.log.broke();
  await time.playUntil(time.nowMs + 2_000);
  expect(admitted(asked)).toBe(1);
});

it('waits for nothing after units that were given back', async () => {
  const { fleet, first } = await fleetOfThree();
  const { time } = fleet;
  for (let round = 0; round < limit; round++) {
    const asked = fleet.ask(first, 'key', limit);
    await time.playUntil(time.nowMs + 5);
    fleet.giveBack(asked);
    await time.playUntil(time.nowMs + 50);
  }
  first.cutUntilMs = time.nowMs + 1_000;
  const asked = fleet.ask(first, 'key', limit);
  await time.playUntil(time.nowMs + 10);
  expect(asked.admitted).toBe(true);
});

it('tells who waits for Valkey that all decide by it again, and a second after they last did that they do not', async () => {
  const { fleet, first } = await fleetOfThree();
  const { time, valkey } = fleet;
  const told: boolean[] = [];
  const wait = async (forMs: number) => {
    void first.store.sharedSoon().then((areShared) => told.push(areShared));
    await time.playUntil(time.nowMs + forMs);
    return told;
  };
  first.log.broke();
  expect(await wait(900)).toEqual([true]);
  valkey.kill();
  expect(await wait(990)).toEqual([true]);
  expect(await wait(20)).toEqual([true, false, false]);
  expect(await first.store.sharedSoon()).toBe(false);
});
