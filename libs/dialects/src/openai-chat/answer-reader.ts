import { SniffingReader } from '../canonical/sniffing-reader';
import type { AnswerReader, UpstreamTarget } from '../provider-dialect';
import { PlainAnswerReader } from './plain-answer-reader';
import { ChatStreamReader } from './stream-reader';

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
