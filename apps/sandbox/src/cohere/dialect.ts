import type { Spoken, Dialect } from '../speech/simulated-dialect';
import { finishReasons, logprobItem, messageOf, usageOf } from './chat-content';
import { chatStream, event } from './chat-stream';
import { cohereTooLong, writeCohereError } from './cohere-error';
import { readCohereChat } from './read-cohere-chat';

/**
 * Cohere's chat, version 2. https://docs.cohere.com/reference/chat
 * https://docs.cohere.com/reference/chat-stream
 */
export const cohere: Dialect = {
  name: 'cohere',
  paths: [{ path: '/chat', stream: null }],
  streamType: 'text/event-stream',
  overloadedStatus: 503,
  read: readCohereChat,
  plain,
  stream: chatStream,
  error: writeCohereError,
  tooLong: cohereTooLong,
  errorInStream: (message) =>
    event('message-end', { id: 'sandbox', delta: { error: message, finish_reason: 'ERROR' } }),
  malformed: () => 'event: content-delta\ndata: {"type":"content-delta","index":0,"del\n\n',
};

function plain({ choices, newId, request, usage }: Spoken): string {
  const [answer] = choices;
  const texts = answer.blocks.flatMap((block) => (block.type === 'text' ? block.pieces : []));
  return JSON.stringify({
    id: newId(),
    finish_reason: finishReasons[answer.finish],
    message: messageOf(answer),
    ...usageOf(usage),
    ...(request.topLogprobs !== null && { logprobs: texts.map(logprobItem) }),
  });
}
