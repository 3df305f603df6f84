import { countBySample, inputAt, parseRequestJson, referencePlaces } from '@tollgate/dialects/surface';
import type { Places, SurfaceRequest } from '@tollgate/dialects/surface';
import type { Operation } from './operations';

/** Prose has four bytes for a token, and nothing but runs of spaces or of one sign has more than this. */
export const mostBytesPerToken = 16;

/** What edge must know of a body that was read and found sane. */
export interface SentRequest {
  readonly read: SurfaceRequest;
  /** See SurfaceDialect.keepsState. */
  keepsState(): boolean;
  /**
   * The bytes of the body that may be text: without what looks like data (images that came back from a model,
   * sealed reasoning).
   */
  textBytes(): number;
  /**
   * Where the value of its `input` stands in its bytes, where its surface has kept responses; null: it has
   * none.
   */
  inputAt(): SentFacts['inputAt'];
  /**
   * Where its `input`, from whose first byte they are counted, refers to the items that `read.state` names.
   */
  referencePlaces(): Places;
  /** The body, parsed, in its surface's own form; null: a thread has parsed it, and looks through it. */
  readonly parsed: unknown;
  /** True where that form is not the one in which it came. */
  readonly isRewritten: boolean;
  /** Input tokens by tokenizer of the body as it went on. */
  countInputTokens(bytes: Uint8Array): number | Promise<number>;
}

/** What is told of a body by whoever parsed it elsewhere. */
export interface SentFacts {
  readonly read: SurfaceRequest;
  readonly keepsState: boolean;
  readonly textBytes: number;
  readonly inputAt: { readonly start: number; readonly end: number } | null;
  readonly referencePlaces: Places;
}

/**
 * What is known of a request beside its body. `quotaTokens`: the whole quota of its key, null: unlimited.
 * `providerHeaders`: those that its surface passes on.
 */
export interface Asker {
  readonly quotaTokens: number | null;
  readonly providerHeaders: Readonly<Record<string, string>>;
}

/**
 * Parses a body here and now.
 * @throws GatewayError 400 saying what is wrong with it, or that its text alone is more than the quota.
 */
export function readSent(
  operation: Operation,
  bytes: Uint8Array,
  { quotaTokens, providerHeaders }: Asker,
): SentRequest {
  const came = parseRequestJson(bytes, quotaTokens === null ? Infinity : quotaTokens * mostBytesPerToken);
  const parsed = ownForm(operation, came);
  const read = operation.readRequest(parsed, bytes.length, providerHeaders);
  return {
    isRewritten: parsed !== came,
    read,
    keepsState: () => operation.surface.keepsState(parsed),
    textBytes: () => bytes.length - dataIn(parsed),
    inputAt: () => inputAt(bytes),
    referencePlaces: () => referencesIn(bytes, read),
    parsed,
    countInputTokens: (body) => countedInput(operation, body),
  };
}

function referencesIn(bytes: Uint8Array, { state }: SurfaceRequest): Places {
  const at = state && state.references.length > 0 ? inputAt(bytes) : null;
  return at && state ? referencePlaces(bytes.subarray(at.start, at.end), state.references) : new Uint32Array();
}

/** Input tokens of a body by tokenizer, of a large one by samples. */
export function countedInput(operation: Operation, bytes: Uint8Array): number {
  return countBySample(bytes.length, () =>
    operation.surface.countInputTokens(ownForm(operation, parseRequestJson(bytes))),
  );
}

/** A body that was parsed elsewhere, and is in its surface's own form. */
export function sentElsewhere(
  { read, keepsState, textBytes, inputAt, referencePlaces }: SentFacts,
  countInputTokens: SentRequest['countInputTokens'],
): SentRequest {
  return {
    read,
    keepsState: () => keepsState,
    textBytes: () => textBytes,
    inputAt: () => inputAt,
    referencePlaces: () => referencePlaces,
    isRewritten: false,
    parsed: null,
    countInputTokens,
  };
}

function ownForm({ surface }: Operation, body: unknown): unknown {
  return surface.inOwnForm ? surface.inOwnForm(body) : body;
}

/** A string of this length without a space in its beginning is data: base64 has none. Characters. */
const dataCharacters = 512;

function dataIn(value: unknown): number {
  if (typeof value === 'string')
    return value.length > dataCharacters && !value.slice(0, dataCharacters).includes(' ') ? value.length : 0;
  if (typeof value !== 'object' || value === null) return 0;
  let sum = 0;
  for (const inner of Object.values(value)) sum += dataIn(inner);
  return sum;
}
