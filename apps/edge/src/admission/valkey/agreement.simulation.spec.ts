import { playSchedule } from './simulation/schedule';
import type { Outcome, Strike } from './simulation/schedule';
import { EdgePeers } from './edge-peers';
import { UnitLedger } from './unit-ledger';

/**
 * Schedules of each kind; more by hand:
 * `AGREEMENT_SCHEDULES=100000 npx jest -c apps/edge/jest.config.cjs agreement.simulation`.
 */
const schedules = Number(process.env.AGREEMENT_SCHEDULES ?? 40);
const firstSeed = Number(process.env.AGREEMENT_SEED ?? 1);
/** A schedule takes some 50 ms of CPU. */
const timeoutMs = 60_000 + schedules * 1_000;

const ofValkey = ['kill valkey', 'freeze valkey', 'cut an edge from valkey'] as const;
const ofEdges = ['freeze an edge', 'kill an edge', 'stop an edge', 'start an edge'] as const;
const ofTheBus = ['cut an edge from the bus', 'hold an edge on the bus'] as const;

const kinds: readonly [string, readonly [Strike, ...Strike[]]][] = [
  ['Valkey dies, hangs and is cut off from one edge', ofValkey],
  ['edges come, go, die and stand still beside a Valkey that does the same', [...ofEdges, ...ofValkey]],
  ['the bus loses and delays what an edge says', [...ofTheBus, 'kill valkey']],
  ['anything of this comes at any time', [...ofValkey, ...ofEdges, ...ofTheBus]],
];

afterEach(() => jest.restoreAllMocks());

describe.each(kinds)('the limit of several edges while %s', (_, strikes) => {
  it(
    'is never exceeded, and whole and used up in the end',
    async () => {
      expect(await faultsOf(strikes, schedules, firstSeed)).toEqual([]);
    },
    timeoutMs,
  );
});

describe('the simulation', () => {
  it(
    'notices when what edges took by themselves is forgotten',
    async () => {
      jest.spyOn(UnitLedger.prototype, 'settle').mockReturnValue([]);
      expect(await faultsOf([...ofEdges, ...ofValkey], 80, 1, 1)).not.toEqual([]);
    },
    timeoutMs,
  );

  it(
    'notices when each edge takes all that is left for its own share',
    async () => {
      jest.spyOn(EdgePeers.prototype, 'sharers').mockImplementation(function (this: EdgePeers) {
        return [this.edgeId];
      });
      expect(await faultsOf(ofValkey, 40, 1, 1)).not.toEqual([]);
    },
    timeoutMs,
  );
});

/**
 * The schedules that broke the limit, or did not come to rest, with their seeds: `AGREEMENT_SEED` plays one
 * again. No more are played once there are `enough`.
 */
async function faultsOf(
  strikes: readonly [Strike, ...Strike[]],
  count: number,
  firstSeed: number,
  enough = Number.POSITIVE_INFINITY,
): Promise<(Outcome & { seed: number })[]> {
  const faults: (Outcome & { seed: number })[] = [];
  for (let seed = firstSeed; seed < firstSeed + count && faults.length < enough; seed++) {
    const outcome = await playSchedule(seed, strikes);
    const { worst, limit, isSharedAtEnd, usedAtEnd, noticesAtStart } = outcome;
    if (worst > limit || !isSharedAtEnd || usedAtEnd !== limit || noticesAtStart > 200)
      faults.push({ seed, ...outcome });
  }
  return faults;
}
