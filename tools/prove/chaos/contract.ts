import type { Act, Fate } from './acts';
import { acts, generations } from './acts';

/** What an act may be answered, and how long the answer may take to begin. */
export interface Expectation {
  statuses: readonly number[];
  withinMs: number;
}

/**
 * stopped: asked to end, and kept down; killed: SIGKILL, and kept down; frozen: SIGSTOP. Of a server's
 * connections, or of a service's connection to NATS: cut off:
 * they are reset and new ones refused; partitioned: they stay, and no byte passes; slow: every byte takes 50
 * ms more, each way. full: not a byte more fits on its disk.
 */
export type Harm = 'stopped' | 'killed' | 'frozen' | 'cut off' | 'partitioned' | 'slow' | 'full';

export type Part =
  | 'postgres'
  | 'nats'
  | 'valkey'
  | 'catalog'
  | 'accounts'
  | 'metering'
  | 'inference-2'
  | 'edge-2'
  | 'provider';

/** One disturbance, and what every caller may rely on while it lasts and after. */
export interface Disturbance {
  part: Part;
  harm: Harm;
  /**
   * How long it lasts at least; 0: until everything was tried once. What is given up after some seconds is
   * not struck by less.
   */
  lastsMs: number;
  expected: Record<Act, Expectation>;
  /** How streams may end that were under way when it came. */
  underWay: readonly Fate[];
  /** Every act is answered as in calm again within this time of the part's return. */
  recoversWithinMs: number;
}

/** No answer may take longer to begin, whatever is down. */
const longestMs = 5_000;
/** Without NATS every refusal is quick. */
const quickMs = 1_000;
/** A breaker that opened lets a probe through after this time at the latest. */
const breakerMs = 35_000;

const within = (withinMs: number, ...statuses: number[]): Expectation => ({ statuses, withinMs });
const fine = within(longestMs, 200);
const unavailable = within(longestMs, 503);
const refusedAtOnce = within(quickMs, 503);

/** What is true while all is well; each disturbance says what it changes. */
export const calm: Record<Act, Expectation> = {
  ...forAll(acts, fine),
  'new key': within(longestMs, 401),
  'wrong key': within(quickMs, 401),
  livez: within(quickMs, 200),
  readyz: within(quickMs, 200),
};

function forAll(names: readonly Act[], expectation: Expectation): Record<Act, Expectation> {
  return Object.fromEntries(names.map((name) => [name, expectation])) as Record<Act, Expectation>;
}

interface Terms {
  changes?: Partial<Record<Act, Expectation>>;
  underWay?: readonly Fate[];
  recoversWithinMs?: number;
  lastsMs?: number;
}

/** Nothing changes for anybody. */
const unnoticed: Terms = {};
/** Generations go on for known keys; what has to be looked up cannot be told. */
const withoutPostgres: Terms = {
  changes: { 'new key': unavailable, usage: unavailable, metrics: unavailable, 'sign-in': unavailable },
};
const withoutNats: Terms = {
  changes: {
    ...forAll(generations, refusedAtOnce),
    ...forAll(['new key', 'usage', 'metrics', 'sign-in'], refusedAtOnce),
    // It counts to the limit of its key: an edge that hears of no other admits nothing before it knows what.
    models: within(longestMs, 200, 503),
    // A connection that breaks may be back in half a second.
    readyz: within(quickMs, 200, 503),
    'wrong key': calm['wrong key'],
    livez: calm.livez,
  },
  // Whole where it is back within two seconds.
  underWay: ['told', 'whole'],
};
/**
 * A NATS that is silent looks like one that is slow, until an answer of it is overdue. What was asked before
 * is waited for; generations are refused as soon as without it.
 */
const withSilentNats: Terms = {
  ...withoutNats,
  changes: {
    ...withoutNats.changes,
    ...forAll(['new key', 'usage', 'metrics', 'sign-in'], unavailable),
  },
  underWay: ['told', 'whole'],
};
const withoutAccounts: Terms = { changes: { 'new key': unavailable, 'sign-in': unavailable } };
const withoutMetering: Terms = { changes: { usage: unavailable, metrics: unavailable } };
/** Its own streams fail visibly, those of its peer do not notice. */
const withoutOneInference: Terms = { underWay: ['whole', 'told'] };
/**
 * Streams that it serves may break with it when it ends at once: the caller's own connection is to the edge
 * that died.
 */
const withoutOneEdge: Terms = { underWay: ['whole', 'broken'] };
/**
 * Those who ask that edge are refused as without NATS (its /readyz says so to load balancers); those who ask
 * the other notice nothing.
 */
const withOneEdgeAlone: Terms = {
  changes: {
    // Models as without NATS: they count to the limit of a key.
    ...forAll([...generations, 'models', 'usage', 'metrics', 'sign-in', 'readyz'], within(longestMs, 200, 503)),
    'new key': within(longestMs, 401, 503),
  },
  underWay: ['whole', 'told'],
};
/** What is only read goes on, and what must be written is refused. */
const withoutRoomInPostgres: Terms = { changes: { 'sign-in': within(longestMs, 200, 503) } };
/**
 * 502 for those that were sent to it in vain; 503 at once when its breaker has opened and no other provider
 * is there (docs/decisions/0009-resilience.md).
 */
const withoutProvider: Terms = {
  changes: forAll(generations, within(longestMs, 502, 503)),
  underWay: ['whole', 'told'],
  recoversWithinMs: breakerMs,
};
/**
 * A provider may think for as long as its model is granted, so a silent one is waited for: the answer comes
 * when it wakes.
 */
const withSilentProvider: Terms = {
  changes: forAll(generations, within(30_000, 200, 502, 504)),
  underWay: ['whole', 'told'],
  recoversWithinMs: breakerMs,
};

const defaultRecoveryMs = 5_000;

function disturbance(part: Part, harm: Harm, terms: Terms): Disturbance {
  const { changes = {}, underWay = ['whole'], recoversWithinMs = defaultRecoveryMs, lastsMs = 0 } = terms;
  return { part, harm, lastsMs, expected: { ...calm, ...changes }, underWay, recoversWithinMs };
}

/** Of `part`: the same terms for each of these harms. */
function disturbances(part: Part, kinds: readonly Harm[], terms: Terms): Disturbance[] {
  return kinds.map((harm) => disturbance(part, harm, terms));
}

/** How a disturbance is called: `nats frozen`, or `nats frozen 30 s` where it lasts that long. */
export function nameOf({ part, harm, lastsMs }: Disturbance): string {
  return `${part} ${harm}${lastsMs > 0 ? ` ${lastsMs / 1_000} s` : ''}`;
}

const away = ['stopped', 'killed', 'frozen', 'cut off', 'partitioned'] as const;

/** The degradation contract: what callers may rely on while a part is away. */
export const contract: readonly Disturbance[] = [
  ...disturbances('postgres', away, withoutPostgres),
  disturbance('postgres', 'slow', unnoticed),
  disturbance('postgres', 'full', withoutRoomInPostgres),
  ...disturbances('nats', ['stopped', 'killed', 'cut off'], withoutNats),
  ...disturbances('nats', ['frozen', 'partitioned'], withSilentNats),
  disturbance('nats', 'frozen', { ...withSilentNats, lastsMs: 30_000 }),
  disturbance('nats', 'partitioned', { ...withSilentNats, lastsMs: 30_000 }),
  disturbance('nats', 'frozen', { ...withSilentNats, lastsMs: 120_000 }),
  ...disturbances('nats', ['slow', 'full'], unnoticed),
  ...disturbances('catalog', [...away, 'slow'], unnoticed),
  ...disturbances('accounts', away, withoutAccounts),
  disturbance('accounts', 'slow', unnoticed),
  ...disturbances('metering', away, withoutMetering),
  disturbance('metering', 'slow', unnoticed),
  ...disturbances('inference-2', ['stopped', 'slow'], unnoticed),
  ...disturbances('inference-2', ['killed', 'frozen', 'cut off', 'partitioned'], withoutOneInference),
  ...disturbances('edge-2', ['stopped', 'frozen', 'slow'], unnoticed),
  disturbance('edge-2', 'killed', withoutOneEdge),
  ...disturbances('edge-2', ['cut off', 'partitioned'], withOneEdgeAlone),
  ...disturbances('valkey', [...away, 'slow'], unnoticed),
  ...disturbances('provider', ['stopped', 'killed'], withoutProvider),
  disturbance('provider', 'frozen', withSilentProvider),
];
