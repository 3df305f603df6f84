import { withFewMarksInJson } from '../canonical/few-marks-in-json';
import { SniffingReader } from '../canonical/sniffing-reader';
import { emptyRequest } from '../canonical/pass-through';
import { translatedReader } from '../canonical/translate';
import { holdsFor } from '../provider-dialect';
import type { AnswerReader, Translation, UpstreamRequest, UpstreamTarget } from '../provider-dialect';
import { parseRequestJson } from '../wire/request-json';
import { countInputTokens } from './count-input-tokens';
import { PlainAnswerReader } from './plain-answer-reader';
import { openaiChatProviderCodec } from './provider-codec';
import { readError } from './read-error';
import { ChatStreamReader } from './stream-reader';
import { openaiChatSurfaceCodec } from './surface-codec';
import { toUpstreamRequest } from './to-upstream-request';

/**
 * Chat completions to chat completions: bytes pass through in both directions, and only what the gateway owns
 * is touched.
 */
export const openaiChatToOpenaiChat: Translation = {
  surface: 'openai-chat',
  provider: 'openai-chat',
  prepare: (body, target, { includeUsage }) => ({
    request: upstreamRequest(body, target),
    answerReader: () => answerReader(target, { includeUsage }),
  }),
  readError,
  countInputTokens: (body) => countInputTokens(parseRequestJson(body)),
};

/** Claude refuses a request with more marks for its cache than it takes, wherever that is passed to it. */
function upstreamRequest(source: Uint8Array, target: UpstreamTarget): UpstreamRequest {
  if (!holdsFor(target.provider.quirks.cacheMarks, target) || !holdsFor('claude', target))
    return toUpstreamRequest(source, target);
  const { body, warning } = withFewMarksInJson(source);
  const request = toUpstreamRequest(body, target);
  return warning === null ? request : { ...request, warnings: [...request.warnings, warning] };
}

/**
 * The reader of an answer with a 2xx status. A whole completion in place of a stream goes on as the chunks
 * that were asked for; a stream in place of a whole one, where the provider was asked for it, is gathered.
 */
export function answerReader(target: UpstreamTarget, { includeUsage }: { includeUsage: boolean }): AnswerReader {
  const { name, quirks } = target.provider;
  const plain = () => new PlainAnswerReader(name, 'unchanged');
  if (!target.stream && quirks.mostUnstreamed === null) return plain();
  if (!target.stream)
    return new SniffingReader(name, 'document', (form) => (form === 'document' ? plain() : gathered(target)));
  const chunks = includeUsage ? 'chunks-with-usage' : 'chunks';
  return new SniffingReader(name, 'stream', (form) =>
    form === 'document' ? new PlainAnswerReader(name, chunks) : new ChatStreamReader(name, includeUsage),
  );
}

/** Reads a stream into the completion that its caller wants. */
function gathered(target: UpstreamTarget): AnswerReader {
  // A completion repeats nothing of its request.
  const caller = { body: {}, request: emptyRequest('openai-chat', false), includeUsage: false };
  return translatedReader(openaiChatSurfaceCodec, openaiChatProviderCodec, caller, target);
}
