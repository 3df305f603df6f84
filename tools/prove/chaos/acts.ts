/**
 * What a caller of the gateway does: the columns of the matrix. `new key` is one that no edge knows and that
 * looks valid; `wrong key` one with a mistyped character.
 */
export const acts = [
  'chat',
  'stream',
  'messages',
  'responses',
  'new key',
  'wrong key',
  'models',
  'usage',
  'metrics',
  'sign-in',
  'livez',
  'readyz',
] as const;
export type Act = (typeof acts)[number];

/** Acts that ask a provider for text, with a key that edges know. */
export const generations = ['chat', 'stream', 'messages', 'responses'] as const satisfies readonly Act[];

/**
 * What became of a request: its status; `broken`: the connection failed; `hung`: the caller lost its
 * patience; `told`: an error in a stream that had begun;
 * `short`: an answer that just ended, or is not what it should be, which must never happen.
 */
export type Seen = number | 'broken' | 'hung' | 'told' | 'short';

/** One answer as its caller saw it. */
export interface Answer {
  act: Act;
  seen: Seen;
  /** From the sending until the head of the answer (or the failure) was here, milliseconds. */
  beganMs: number;
  hasRetryAfter: boolean;
}

/** What became of a stream that was under way when the disturbance came. */
export type Fate = 'whole' | 'told' | 'broken' | 'short';
