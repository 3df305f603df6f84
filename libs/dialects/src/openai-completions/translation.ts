import { GatewayError } from '@tollgate/contracts';
import { LimitedReader, mostTokens } from '../canonical/output-limit';
import { SniffingReader } from '../canonical/sniffing-reader';
import { PlainAnswerReader } from '../openai-chat/plain-answer-reader';
import { readError } from '../openai-chat/read-error';
import { ChatStreamReader } from '../openai-chat/stream-reader';
import { toUpstreamRequest } from '../openai-chat/to-upstream-request';
import type { AnswerReader, Translation, UpstreamTarget } from '../provider-dialect';
import { parseRequestJson } from '../wire/request-json';
import { isRecord } from '../wire/json-value';
import { countInputTokens } from './count-input-tokens';
import { wholeCompletion } from './whole-completion';

/**
 * Text completions of servers that have them beside chat completions: bytes pass. A guardrail for answers
 * knows no text completions, so such a request is refused instead of being answered unseen.
 */
export const openaiCompletionsToOpenaiChat: Translation = {
  surface: 'openai-completions',
  provider: 'openai-chat',
  prepare: (body, target, { includeUsage, newGate, maxOutputTokens = null }) => {
    if (newGate)
      throw new GatewayError(
        400,
        'A guardrail holds for the answers of this model, and text completions cannot be looked through: ask at POST /v1/chat/completions.',
      );
    return {
      request: { ...toUpstreamRequest(body, target), path: '/completions' },
      answerReader: () => limitedReader(body, answerReader(target, includeUsage), maxOutputTokens),
    };
  },
  readError,
  countInputTokens: (body) => countInputTokens(parseRequestJson(body)),
};

/** An answer that repeats its prompt is let have as many tokens more. */
function limitedReader(body: Uint8Array, reader: AnswerReader, maxOutputTokens: number | null): AnswerReader {
  if (maxOutputTokens === null) return reader;
  const asked = parseRequestJson(body);
  const countInput = (): number => countInputTokens(asked);
  const beside = isRecord(asked) && asked.echo === true ? countInput() : 0;
  return new LimitedReader(reader, mostTokens(maxOutputTokens) + beside, wholeCompletion, countInput);
}

function answerReader({ provider: { name }, stream }: UpstreamTarget, includeUsage: boolean): AnswerReader {
  if (!stream) return new PlainAnswerReader(name, 'unchanged', 'text');
  return new SniffingReader(name, 'stream', (form) =>
    form === 'stream' ? new ChatStreamReader(name, includeUsage) : new PlainAnswerReader(name, 'chunks', 'text'),
  );
}
