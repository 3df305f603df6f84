import { randomBytes } from 'node:crypto';

/**
 * The times (milliseconds) and sizes (bytes) of the hop. Both sides count long times in ticks of their own
 * clock, so that a process that was frozen for a while does not take its own silence for that of its peer.
 */
export interface HopSettings {
  /** How long edge waits for an instance to accept, before it asks others. */
  acceptTimeoutMs: number;
  /**
   * How long it then waits for one of those. Both together stay below the second within which a caller is to
   * hear that NATS is away.
   */
  offerTimeoutMs: number;
  /**
   * How much longer it waits where NATS answers: instances listen then, and are short of CPU, say. A late
   * answer is better than none.
   */
  patienceMs: number;
  /**
   * A request that took longer than this to arrive is started only when edge confirms that it still wants it
   * there. Below acceptTimeoutMs.
   */
  staleAfterMs: number;
  /**
   * Of a new edge, every request of this time, and so many, is started only when edge confirms it: while
   * processes start all are late, and clocks may differ.
   */
  newEdgeMs: number;
  newEdgeRequests: number;
  /** After every instance heard of said busy: how long one that was not heard of has to accept. */
  busyGraceMs: number;
  /** An instance pings a stream on which it sent nothing for this long. */
  pingMs: number;
  /** A stream silent for this long has lost its instance; an edge silent for this long is lost. */
  silenceMs: number;
  heartbeatMs: number;
  /** How long edge waits for the instance's last word on a stream that ended for edge before. */
  settleMs: number;
  /**
   * How long frames that were lost are waited for, and how often they are asked for meanwhile. An instance
   * without a connection stops its calls after this time.
   */
  resumeMs: number;
  resumeEveryMs: number;
  /**
   * How long a new request waits at most for a connection that was lost just now. Below the second within
   * which a caller is to hear that NATS is away.
   */
  linkWaitMs: number;
  /**
   * How long an instance holds what it told of a call that is over: the end may have been lost with a server
   * that was silent for a while.
   */
  replayMs: number;
  /**
   * What an instance may hold of sent frames in all. Beyond it those of calls that are over are forgotten,
   * then the oldest of a call, which fails visibly if it then loses its connection.
   */
  replayBudgetBytes: number;
  /** How much of an answer may be under way to the caller. */
  windowBytes: number;
  /** How long the window may stay used up before the caller counts as too slow. */
  slowReaderMs: number;
  /**
   * How much of all large request bodies of an edge may be under way to an instance, which confirms each
   * quarter of it and the end (in the release before each half, and no end). What is not confirmed within
   * `resumeMs` counts no longer, and is asked for.
   */
  bodyWindowBytes: number;
  /** How much of all large request bodies leaves edge in one turn of the event loop. */
  bodyPieceBytes: number;
  /**
   * The largest request content (body and request) that an instance takes, and what all that arrive in parts
   * may hold together.
   */
  maxContentBytes: number;
  bodyBudgetBytes: number;
  /** What a call may hold back for a caller without credit, when its handler writes on regardless. */
  maxBacklogBytes: number;
  /**
   * When busy, frames of answers to one edge are gathered up to this long; 0 sends at the end of every turn.
   */
  coalesceMs: number;
}

export const defaultHopSettings: HopSettings = {
  acceptTimeoutMs: 500,
  offerTimeoutMs: 400,
  patienceMs: 3_000,
  staleAfterMs: 250,
  newEdgeMs: 5_000,
  newEdgeRequests: 20,
  busyGraceMs: 25,
  pingMs: 5_000,
  silenceMs: 15_000,
  heartbeatMs: 5_000,
  settleMs: 15_000,
  resumeMs: 2_000,
  resumeEveryMs: 250,
  linkWaitMs: 600,
  replayMs: 5_000,
  replayBudgetBytes: 64 * 1024 * 1024,
  windowBytes: 256 * 1024,
  slowReaderMs: 30_000,
  bodyWindowBytes: 1024 * 1024,
  bodyPieceBytes: 256 * 1024,
  maxContentBytes: 33 * 1024 * 1024,
  bodyBudgetBytes: 256 * 1024 * 1024,
  maxBacklogBytes: 64 * 1024 * 1024,
  coalesceMs: 1,
};

/** The length of a tick: a fifth of the shortest of the long times. */
export function tickMs(settings: HopSettings): number {
  const { pingMs, silenceMs, heartbeatMs, settleMs, slowReaderMs } = settings;
  return Math.max(5, Math.min(pingMs, silenceMs, heartbeatMs, settleMs, slowReaderMs) / 5);
}

/** An id for an edge or an instance, new in every process; fit for a NATS subject. */
export function newPeerId(): string {
  return randomBytes(9).toString('base64url');
}
