/** Faults that the sandbox can be told to make. An HTTP status (400 to 599) is a fault too. */
export const faultNames = [
  'hang',
  'reset_before',
  'reset_headers',
  'reset_mid',
  'truncate',
  'stall',
  'malformed',
  'html',
  'empty',
  'error_first',
  'error_mid',
  'no_usage',
  'ignore_stream',
  'ignore_limit',
  'flap',
  'trickle',
  'context',
  'overloaded',
  'too_large',
  'unknown_file',
] as const;
export type FaultName = (typeof faultNames)[number];

interface ScriptedCall {
  name: string;
  arguments: Record<string, unknown>;
}

/** What an answer is: calls, all at once, or a text. */
type ScriptedRound = readonly ScriptedCall[] | string;

/**
 * How the sandbox answers one request. `tokens` null: 24 to 55, by the request. `headersMs`: from the request
 * to the head of the answer; `firstMs`: from there to the first token; `delayMs`: between tokens (a plain
 * answer takes as long as its stream would).
 * `calls`: how many rounds of tool calls come before the text; null: one where the message names a tool.
 * `script`: what is called in each round, with which arguments, or said.
 * `bits`: characters in each piece of arguments, of answers by a schema and of results. `unicode`: texts and
 * arguments are made of what careless readers break.
 * `redact`: thoughts come sealed, without their text. `finish`: how an answer ends other than by itself.
 * `tier`: what serves a request of Anthropic's that leaves it open; null: the standard.
 * `padKib`: a plain answer is longer by so many KiB of spaces. `at`: after how many tokens a fault in
 * mid-stream comes. `status`: an error answer in place of a completion; `retryAfterS` goes with it, null
 * means none, `retryAsDate` writes it as a date.
 */
export interface Behaviour {
  tokens: number | null;
  calls: number | null;
  script: readonly ScriptedRound[] | null;
  bits: number;
  unicode: boolean;
  redact: boolean;
  finish: 'refusal' | 'filter' | 'broken' | null;
  tier: 'priority' | 'batch' | null;
  headersMs: number;
  firstMs: number;
  delayMs: number;
  padKib: number;
  fault: FaultName | null;
  at: number;
  status: number | null;
  retryAfterS: number | null;
  retryAsDate: boolean;
}

export const plainBehaviour: Behaviour = {
  tokens: null,
  calls: null,
  script: null,
  bits: 6,
  unicode: false,
  redact: false,
  finish: null,
  tier: null,
  headersMs: 0,
  firstMs: 0,
  delayMs: 0,
  padKib: 0,
  fault: null,
  at: 3,
  status: null,
  retryAfterS: null,
  retryAsDate: false,
};

/** A control that the sandbox does not know, so that a test never waits for a fault that it misspelled. */
export class ControlError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ControlError';
  }
}
