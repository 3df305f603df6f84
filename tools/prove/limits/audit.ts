import type { Visit } from './limited-client';

const windowMs = 60_000;

/** What the log of one key proves. */
export interface Audit {
  /**
   * The most requests that were admitted for certain within some 60 seconds: the first was not sent earlier,
   * nor the last answered later.
   */
  mostInWindow: number;
  /** The most tokens that such requests used together. */
  mostTokensInWindow: number;
  admitted: number;
  /**
   * What an exact limiter must have admitted of the same requests, wherever between sending and answer it saw
   * each.
   */
  admissible: number;
  /** Requests that were sent after exactly Retry-After, and those of them that were admitted. */
  waited: number;
  waitedAdmitted: number;
  /** Answers that are neither a success nor a refusal. */
  strange: number;
}

/** Audits the requests of one key under a limit that did not change. */
export function audit(visits: readonly Visit[], limit: number): Audit {
  const admitted = visits.filter(({ status }) => status === 200);
  const waited = visits.filter(({ hasWaited }) => hasWaited);
  return {
    mostInWindow: mostInWindow(admitted, () => 1),
    mostTokensInWindow: mostInWindow(admitted, ({ tokens }) => tokens),
    admitted: admitted.length,
    admissible: admissible(visits, limit),
    waited: waited.length,
    waitedAdmitted: waited.filter(({ status }) => status === 200).length,
    strange: visits.filter(({ status }) => status !== 200 && status !== 429).length,
  };
}

/**
 * A request is admitted somewhere between its sending and its answer, so those are counted that must lie in
 * the window that ends with an answer.
 */
function mostInWindow(admitted: readonly Visit[], weightOf: (visit: Visit) => number): number {
  const sums = admitted.map(({ answeredAt: end }) =>
    admitted
      .filter(({ sentAt, answeredAt }) => sentAt > end - windowMs && answeredAt <= end)
      .reduce((sum, visit) => sum + weightOf(visit), 0),
  );
  return Math.max(0, ...sums);
}

/**
 * An exact limiter may have seen a request as late as its answer and the next as early as its sending: what
 * it must have admitted for certain. Times are kept in order, the latest last.
 */
function admissible(visits: readonly Visit[], limit: number): number {
  const admitted: number[] = [];
  for (const { sentAt, answeredAt } of [...visits].sort((one, other) => one.sentAt - other.sentAt)) {
    const leaver = admitted[admitted.length - limit];
    if (leaver !== undefined && leaver > sentAt - windowMs) continue;
    let place = admitted.length;
    while (place > 0 && (admitted[place - 1] ?? 0) > answeredAt) place--;
    admitted.splice(place, 0, answeredAt);
  }
  return admitted.length;
}
