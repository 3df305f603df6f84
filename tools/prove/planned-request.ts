import type { AskedSurface } from './client-surface';

/** What a request is meant to go through. */
export type RequestKind = 'plain' | 'stream' | 'stream-abort' | 'plain-abort' | 'fault';

/** What stands in a request besides its question: members of the body, and headers. */
export interface BesideQuestion {
  members: Record<string, unknown>;
  headers: Record<string, string>;
}

/** One request of the load, decided by its number alone, so that two runs send the same. */
export interface PlannedRequest {
  /** Sent as x-request-id; the simulated provider books under it. */
  id: string;
  kind: RequestKind;
  surface: AskedSurface;
  model: string;
  stream: boolean;
  prompt: string;
  /** Absent: nothing. */
  beside?: BesideQuestion;
  /** Leave after so many pieces of content; null: stay. */
  abortAfterPieces: number | null;
  /** Leave after this time without an answer; null: stay. */
  abortAfterMs: number | null;
}
