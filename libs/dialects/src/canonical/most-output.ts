import type { UpstreamTarget } from '../provider-dialect';

/** Less is no room for an answer: the provider refuses the request by itself. */
const leastOutput = 1;
/** Providers count a prompt with tokenizers of their own, and with what stands between its messages. */
const marginShare = 1 / 8;
const marginTokens = 256;

/**
 * The most tokens that an answer may have: what the model writes at once, or its whole context where no other
 * limit is documented (xAI tells none), and where input and output share its context, what is left of that,
 * with a margin of at most half of it, since the count is not the provider's. Null: not known.
 * `asked`: the caller's own limit; without one there is nothing that could be too much. `bytes` is how long
 * the caller's body is, and `countInput` counts its tokens by tokenizer, which is asked only where it is long
 * enough to matter: a token is no shorter than a byte.
 * https://docs.cloud.google.com/gemini-enterprise-agent-platform/models/guides/gemini-4-argon
 * https://docs.x.ai/developers/grok-4-7
 */
export function mostOutput(
  { model, stream }: Pick<UpstreamTarget, 'model' | 'stream'>,
  asked: number | undefined,
  bytes: number,
  countInput: () => number,
): number | null {
  const { maxOutputTokens, maxOutputUnstreamed, contextWindow, sharedContext } = model;
  const most = (stream ? undefined : maxOutputUnstreamed) ?? maxOutputTokens ?? contextWindow;
  if (!sharedContext || contextWindow === null || most === null || asked === undefined) return most;
  if (bytes + Math.min(asked, most) <= contextWindow) return most;
  const input = countInput();
  const left = contextWindow - input;
  const margin = Math.min(input * marginShare + marginTokens, left / 2);
  return Math.max(leastOutput, Math.min(most, Math.floor(left - margin)));
}
