import { SniffingReader } from '../canonical/sniffing-reader';
import type { AnswerReader, Translation, UpstreamTarget } from '../provider-dialect';
import { parseRequestJson } from '../wire/request-json';
import { countInputTokens } from './count-input-tokens';
import { PlainAnswerReader } from './plain-answer-reader';
import { readError } from './read-error';
import { ChatStreamReader } from './stream-reader';
import { toUpstreamRequest } from './to-upstream-request';

/**
 * Chat completions to chat completions: bytes pass through in both directions, and only what the gateway owns
 * is touched.
 */
export const openaiChatToOpenaiChat: Translation = {
  surface: 'openai-chat',
  provider: 'openai-chat',
  prepare: (body, target, { includeUsage }) => ({
    request: toUpstreamRequest(body, target),
    answerReader: () => answerReader(target, { includeUsage }),
  }),
  readError,
  countInputTokens: (body) => countInputTokens(parseRequestJson(body)),
};

/**
 * The reader of an answer with a 2xx status. A whole completion in place of a stream goes on as the chunks
 * that were asked for.
 */
export function answerReader(target: UpstreamTarget, { includeUsage }: { includeUsage: boolean }): AnswerReader {
  const { name } = target.provider;
  if (!target.stream) return new PlainAnswerReader(name, 'unchanged');
  const chunks = includeUsage ? 'chunks-with-usage' : 'chunks';
  return new SniffingReader(name, 'stream', (form) =>
    form === 'document' ? new PlainAnswerReader(name, chunks) : new ChatStreamReader(name, includeUsage),
  );
}
