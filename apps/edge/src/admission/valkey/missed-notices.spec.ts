import { Chance } from '@tollgate/testing';
import { SimulatedFleet } from './simulation/fleet';

/** Two edges that know each other, without Valkey; for so long the bus loses what the first says and hears. */
async function cutFor(ms: number) {
  const fleet = new SimulatedFleet(new Chance(1), { slowestMs: 2, doubled: 0, outOfOrder: false });
  const { time, valkey } = fleet;
  void fleet.start();
  void fleet.start();
  await time.playUntil(90_000);
  valkey.kill();
  await time.playUntil(95_000);
  const [first, second] = fleet.edges;
  if (!first || !second) throw new Error('there are two edges');
  first.cutUntilMs = time.nowMs + ms;
  await time.playUntil(time.nowMs + ms + 3_000);
  const asked = fleet.ask(second, 'after', 10);
  await time.playUntil(time.nowMs + 500);
  const isUnknown = ({ store, clock }: typeof first) => store.unknownUntilMs > clock.monotonicMs();
  return { admitted: asked.admitted, isUnknown: [isUnknown(first), isUnknown(second)] };
}

it('an edge that missed a notice of another takes no unit by itself, and still knows which edges there are', async () => {
  expect(await cutFor(1_200)).toEqual({ admitted: false, isUnknown: [false, false] });
});

it('an edge that was cut off from the others may be unknown to them, and the others to it', async () => {
  expect((await cutFor(6_000)).isUnknown).toEqual([true, true]);
});
