import type { GenerationSurface } from '@tollgate/contracts';

/** What a request is meant to go through. */
export type RequestKind = 'plain' | 'stream' | 'stream-abort' | 'plain-abort' | 'fault';

/** One request of the load, decided by its number alone, so that two runs send the same. */
export interface PlannedRequest {
  /** Sent as x-request-id; the simulated provider books under it. */
  id: string;
  kind: RequestKind;
  surface: GenerationSurface;
  model: string;
  stream: boolean;
  prompt: string;
  /** Leave after so many pieces of content; null: stay. */
  abortAfterPieces: number | null;
  /** Leave after this time without an answer; null: stay. */
  abortAfterMs: number | null;
}

/** Prompts repeat, so that the text of a whole answer has to be learned once only. */
const prompts = 40;
const faults = ['500', 'reset_mid', 'truncate', 'error_mid', '429', 'malformed'];

/** Long enough for the request to have arrived at the provider, also on a busy machine: one that is cut off on its way there has no row in the ledger. */
const plainPatienceMs = 2_000;

/**
 * Of 20 requests 9 are streams, 7 are plain, one stream and one plain request is left by its caller, and two meet a fault of the provider.
 * A caller leaves while the provider is silent (it stalls after the pieces that the caller waits for): what is on the wire at the moment of
 * an abort was sent by the provider and received by nobody, and no bill can be exact about it.
 */
export function planRequest(number: number, run: string, models: readonly string[]): PlannedRequest {
  const slot = number % 20;
  const variant = Math.floor(number / 20) % prompts;
  const kind = kindOf(slot);
  const pieces = 1 + (variant % 12);
  return {
    id: `${run}-${number}`,
    kind,
    surface: 'openai-chat',
    model: models[number % models.length] ?? '',
    stream: kind === 'stream' || kind === 'stream-abort' || (kind === 'fault' && slot === 19),
    prompt: `Crash drill ${variant}. [[sandbox: ${controls(kind, variant, pieces)}]]`,
    abortAfterPieces: kind === 'stream-abort' ? pieces : null,
    abortAfterMs: kind === 'plain-abort' ? plainPatienceMs : null,
  };
}

function kindOf(slot: number): RequestKind {
  if (slot < 9) return 'stream';
  if (slot < 16) return 'plain';
  if (slot === 16) return 'stream-abort';
  return slot === 17 ? 'plain-abort' : 'fault';
}

function controls(kind: RequestKind, variant: number, pieces: number): string {
  switch (kind) {
    case 'stream':
      return `tokens=${60 + 2 * variant} delay_ms=${10 + (variant % 15)}`;
    case 'plain':
      return `tokens=${20 + variant} first_ms=${variant * 5}`;
    case 'stream-abort':
      return `tokens=60 fault=stall at=${pieces}`;
    case 'plain-abort':
      return 'fault=hang';
    case 'fault':
      return `tokens=40 at=5 fault=${faults[variant % faults.length]}`;
  }
}
