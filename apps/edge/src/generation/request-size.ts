import { GatewayError } from '@tollgate/contracts';
import type { CallerKey } from '@tollgate/contracts/accounts';
import type { CatalogModel } from '@tollgate/contracts/catalog';
import { tokensPerByte } from '@tollgate/dialects/surface';
import type { SurfaceRequest } from '@tollgate/dialects/surface';
import { modelLimitsFor } from '../admission/request-rates';
import { mostBytesPerToken } from './sent-request';
import type { SentRequest } from './sent-request';

/** Upper bounds, as far as they can be told cheaply, of the tokens that a request uses. */
export interface RequestSize {
  readonly input: number;
  readonly output: number;
}

/**
 * What the size of a request is judged by: its body, the model that it asks for, and what is assumed of its
 * output where the caller sets no limit.
 */
interface Sized {
  readonly read: SurfaceRequest;
  readonly body: Uint8Array;
  readonly model: CatalogModel;
  readonly defaultOutput: number;
  readonly key: TokenLimited;
}

/** Who asks: what bounds the tokens of one request of a key. */
export type TokenLimited = Pick<CallerKey, 'quotaTokens' | 'tpm' | 'modelLimits'>;

/**
 * How many tokens are set aside for a request: an estimate of its input that errs upward, and its output as
 * the caller or the model limits it.
 * @throws GatewayError 400 for one that is larger than the whole quota of its key, or than what it may use in
 * a minute: waiting would not help it.
 */
export function sizeOf({ read, body, model, defaultOutput, key }: Sized): RequestSize {
  const { maxOutputTokens } = read;
  const input = inputOf(read, body);
  const largest = model.maxOutputTokens ?? model.contextWindow ?? Infinity;
  const { most, words } = smallestLimit(key, model.id);
  const room = most - input;
  // What is only assumed takes no more than there can be.
  const output =
    maxOutputTokens === null ? Math.min(defaultOutput, largest, Math.max(room, 1)) : Math.min(maxOutputTokens, largest);
  // Nothing at all fits into a limit of 0: that is one that is used up, and is refused as such.
  if (output <= room || most === 0) return { input, output };
  throw new GatewayError(
    400,
    `The request may use up to ${input + output} tokens (${input} of input, ${output} of output), which is more than ${words}, ${most}: shorten it, or lower its limit of output tokens.`,
  );
}

const wholeQuota = 'the whole token quota of this key';

/** The least that a request of a key for a model may use, and what that is called. */
function smallestLimit(
  { quotaTokens, tpm, modelLimits }: TokenLimited,
  model: string,
): { most: number; words: string } {
  if (tpm === null && modelLimits.length === 0) return { most: quotaTokens ?? Infinity, words: wholeQuota };
  const limits = [
    { most: quotaTokens ?? Infinity, words: wholeQuota },
    { most: tpm ?? Infinity, words: 'this key may use in a minute' },
    ...modelLimitsFor(modelLimits, model).map((limit) => ({
      most: limit.tpm ?? Infinity,
      words: 'this key may use of this model in a minute',
    })),
  ];
  return limits.reduce((least, limit) => (limit.most < least.most ? limit : least));
}

/** Tokens of a request's input: an estimate that errs upward. */
export function inputOf({ inputTokensEstimate, mediaTokens }: SurfaceRequest, body: Uint8Array): number {
  return mediaTokens + Math.ceil((inputTokensEstimate - mediaTokens) * tokensPerByte(body, mediaTokens > 0));
}

/**
 * Refuses text that no place of these could take, however few tokens it makes: the model asked for and its
 * fallbacks.
 * @throws GatewayError 400 in the words that agents look for, with the reason that programs do.
 */
export function checkWindows(sent: SentRequest, places: readonly CatalogModel[]): void {
  const windows = places.map(({ contextWindow }) => contextWindow ?? Infinity);
  const largest = Math.max(...windows);
  const { inputTokensEstimate, mediaTokens } = sent.read;
  if (inputTokensEstimate - mediaTokens <= largest * mostBytesPerToken) return;
  const fewest = Math.floor(sent.textBytes() / mostBytesPerToken);
  if (fewest <= largest) return;
  throw new GatewayError(
    400,
    `prompt is too long: the maximum context length is ${largest} tokens, and the text of this request makes at least ${fewest}.`,
  ).because('context_length_exceeded');
}
