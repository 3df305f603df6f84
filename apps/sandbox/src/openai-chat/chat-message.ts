import { textOf } from '../answer/pieces';
import type { Piece } from '../answer/pieces';
import type { PlannedAnswer, PlannedBlock, TextBlock, ToolCallBlock } from '../answer/planned-answer';
import { alternativesTo, logprobOf } from '../answer/logprobs';
import type { Logprob } from '../answer/logprobs';
import { customInput } from '../openai-responses/output-item';
import type { SpokenUsage } from '../speech/simulated-dialect';
import { asTold } from './odd-calls';
import type { ChatRequest } from './read-chat';

/** https://platform.openai.com/docs/api-reference/chat/object#chat-object-choices-finish_reason */
export const finishReasons = {
  stop: 'stop',
  length: 'length',
  'tool-calls': 'tool_calls',
  'stop-sequence': 'stop',
  refusal: 'stop',
  filter: 'content_filter',
  broken: 'stop',
} as const;

/**
 * The message of a whole answer. Reasoning stands where DeepSeek has it:
 * https://api-docs.deepseek.com/guides/thinking_mode
 */
export function chatMessage(
  { blocks }: PlannedAnswer,
  newId: () => string,
  { freeText, model }: Pick<ChatRequest, 'freeText' | 'model'>,
): Record<string, unknown> {
  const [text] = blocks.filter((block) => block.type === 'text');
  const isSpoken = text?.isSpoken === true;
  const reasoning = join(blocks, 'reasoning');
  const calls = blocks.filter((block) => block.type === 'tool-call');
  const refusal = join(blocks, 'refusal');
  return {
    role: 'assistant',
    content: calls.length > 0 || refusal !== '' || isSpoken ? null : join(blocks, 'text'),
    refusal: refusal === '' ? null : refusal,
    annotations: text ? annotationsOf(text) : [],
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    ...(calls.length > 0 && {
      tool_calls: calls.map((call, at) => asTold(chatCall(call, textOf(call.pieces), freeText), at, model)),
    }),
    ...(isSpoken && { audio: spokenAudio(newId(), text.pieces) }),
  };
}

/** What stands for the sound of a bit of speech: it is never played. */
const silence = 'AAAAAAAA';

/** https://platform.openai.com/docs/api-reference/chat/object#chat-object-choices-message-audio */
function spokenAudio(id: string, pieces: readonly Piece[]): object {
  const data = silence.repeat(pieces.length);
  return { id: `audio_${id}`, data, expires_at: Math.floor(Date.now() / 1_000) + 3_600, transcript: textOf(pieces) };
}

/**
 * A bit of speech in a stream: its words, then their sound.
 * https://platform.openai.com/docs/api-reference/chat-streaming/streaming
 */
export function speechDeltas({ text }: Piece): [words: object, sound: object] {
  return [{ audio: { transcript: text } }, { audio: { data: silence } }];
}

function join(blocks: readonly PlannedBlock[], type: PlannedBlock['type']): string {
  return blocks
    .map((block) =>
      block.type !== type || (block.type === 'reasoning' && block.isRedacted) ? '' : textOf(block.pieces),
    )
    .join('');
}

/** https://platform.openai.com/docs/guides/function-calling#custom-tools */
export function chatCall(
  { id, name }: ToolCallBlock,
  text: string,
  freeText: ReadonlySet<string>,
): Record<string, unknown> {
  if (freeText.has(name)) return { id, type: 'custom', custom: { name, input: customInput(text) } };
  return { id, type: 'function', function: { name, arguments: text } };
}

/** https://platform.openai.com/docs/guides/tools-web-search?api-mode=chat */
export function annotationsOf({ pieces, citations }: TextBlock): object[] {
  const end = textOf(pieces).length;
  return citations.map(({ title, url }) => ({
    type: 'url_citation',
    url_citation: { start_index: 0, end_index: end, title, url },
  }));
}

/** The log probabilities of pieces, each with `top` alternatives. */
export function chatLogprobs(pieces: readonly Piece[], top: number): object {
  return {
    content: pieces.map(({ text }) => ({
      ...withBytes(logprobOf(text)),
      top_logprobs: alternativesTo(text, top).map(withBytes),
    })),
    refusal: null,
  };
}

function withBytes({ token, logprob }: Logprob): object {
  return { token, logprob, bytes: [...Buffer.from(token)] };
}

/** `marksCache`: the cache is told as Alibaba tells that of what was marked. */
export function chatUsage(usage: SpokenUsage, { marksCache }: Pick<ChatRequest, 'marksCache'>): object {
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens, reasoningTokens } = usage;
  const { audioInputTokens: heard, audioOutputTokens: said } = usage;
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: {
      cached_tokens: cacheReadTokens,
      audio_tokens: heard,
      ...(heard + said > 0 && { text_tokens: inputTokens - heard, image_tokens: 0 }),
      ...(marksCache && { cache_creation_input_tokens: cacheWriteTokens, cache_type: 'ephemeral' }),
      ...(!marksCache && cacheWriteTokens > 0 && { cache_write_tokens: cacheWriteTokens }),
    },
    completion_tokens_details: {
      reasoning_tokens: reasoningTokens,
      audio_tokens: said,
      ...(heard + said > 0 && { text_tokens: outputTokens - said }),
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}
