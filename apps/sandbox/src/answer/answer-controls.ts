import type { Behaviour } from '../behaviour/behaviour';

/** The controls that an answer depends on. */
export type AnswerControls = Pick<
  Behaviour,
  'fault' | 'tokens' | 'calls' | 'script' | 'bits' | 'unicode' | 'redact' | 'finish' | 'at'
>;
