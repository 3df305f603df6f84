/** How long and how often is measured. Times in seconds. */
export interface BenchPlan {
  rounds: number;
  /**
   * A target is warmed up in runs of `warmUpS` until it gets no faster, at most `maxWarmUps` times: compilers
   * need tens of thousands of requests.
   */
  warmUpS: number;
  maxWarmUps: number;
  pacedS: number;
  saturatedS: number;
  firstChunkS: number;
  streamsS: number;
  heldStreams: number;
  /** How long each held stream lasts. */
  heldS: number;
}

/** Under three minutes in all. */
export const fullPlan: BenchPlan = {
  rounds: 3,
  warmUpS: 2,
  maxWarmUps: 10,
  pacedS: 4,
  saturatedS: 3,
  firstChunkS: 2,
  streamsS: 5,
  heldStreams: 1_000,
  heldS: 8,
};

/** About half a minute: shows that everything works, and the size of the figures. */
export const quickPlan: BenchPlan = {
  rounds: 1,
  warmUpS: 1,
  maxWarmUps: 3,
  pacedS: 1,
  saturatedS: 1,
  firstChunkS: 1,
  streamsS: 2,
  heldStreams: 300,
  heldS: 2,
};

/** Requests a second of the paced measurements. */
export const pacedPerS = 200;
export const firstChunkPerS = 50;
export const saturatedConnections = 32;
/** Streams that run side by side for the cost of a chunk, and the pause between two chunks of one. */
export const busyStreams = 100;
export const busyDelayMs = 10;
/** The pause between two chunks of a held stream. */
export const heldDelayMs = 200;
