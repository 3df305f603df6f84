import { Chance } from '@tollgate/testing';
import { SimulatedFleet } from './simulation/fleet';
import type { Asked, SimulatedEdge } from './simulation/fleet';

const limit = 12;

/** Three edges that decide by Valkey. */
async function fleetOfThree(): Promise<SimulatedFleet> {
  const fleet = new SimulatedFleet(new Chance(3), { slowestMs: 2, doubled: 0, outOfOrder: false });
  for (let edge = 0; edge < 3; edge++) void fleet.start();
  await fleet.time.playUntil(70_000);
  expect(fleet.edges.every(({ store }) => store.isShared)).toBe(true);
  return fleet;
}

function askAll(fleet: SimulatedFleet, edges: readonly SimulatedEdge[], times: number): Asked[] {
  return edges.flatMap((edge) => Array.from({ length: times }, () => fleet.ask(edge, 'key', limit)));
}

const admitted = (asked: readonly Asked[]): number => asked.filter((one) => one.admitted).length;

it.each<[string, (fleet: SimulatedFleet, edge: SimulatedEdge) => void]>([
  ['is cut off from the others', (fleet, edge) => (edge.cutUntilMs = fleet.time.nowMs + 30_000)],
  [
    'is cut off, and comes back while the others decide by themselves',
    (fleet, edge) => (edge.cutUntilMs = fleet.time.nowMs + 8_000),
  ],
])('never more than the limit where an edge %s just before Valkey dies', async (_, strike) => {
  const fleet = await fleetOfThree();
  const { time, valkey } = fleet;
  const [first, ...others] = fleet.edges;
  if (!first) throw new Error('there is no edge');
  strike(fleet, first);
  const alone = askAll(fleet, [first], limit);
  await time.playUntil(time.nowMs + 500);
  valkey.kill();
  const together = askAll(fleet, others, limit);
  await time.playUntil(time.nowMs + 3_000);
  valkey.start();
  await time.playUntil(time.nowMs + 12_000);
  const later = askAll(fleet, fleet.edges, limit);
  await time.playUntil(time.nowMs + 10_000);
  expect(admitted([...alone, ...together, ...later])).toBeLessThanOrEqual(limit);
  expect(admitted([...together, ...later])).toBeGreaterThanOrEqual(limit / 3);
  await time.playUntil(time.nowMs + 120_000);
  expect(fleet.edges.every(({ store }) => store.isShared)).toBe(true);
});

it('answers a burst on one edge as soon as it has heard itself', async () => {
  const fleet = await fleetOfThree();
  const [first] = fleet.edges;
  if (!first) throw new Error('there is no edge');
  const asked = askAll(fleet, [first], 2 * limit);
  await fleet.time.playUntil(fleet.time.nowMs + 100);
  expect(admitted(asked)).toBe(limit);
});
