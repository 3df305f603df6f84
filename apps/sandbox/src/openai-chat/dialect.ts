import type { PlannedAnswer } from '../answer/planned-answer';
import type { Spoken, Dialect } from '../speech/simulated-dialect';
import { chatTooLong, writeChatError } from './chat-error';
import { chatLogprobs, chatMessage, chatUsage, finishReasons } from './chat-message';
import { chatStream } from './chat-stream';
import { withOwnIds } from './mistral-turns';
import { chatIdOf, toldCharge } from './told-charge';
import { readChat } from './read-chat';
import type { ChatRequest } from './read-chat';

/**
 * OpenAI's chat completions, and those of everyone who is compatible.
 * https://platform.openai.com/docs/api-reference/chat
 */
export const openaiChat: Dialect<ChatRequest> = {
  name: 'openai-chat',
  paths: [{ path: '/chat/completions', stream: null }],
  streamType: 'text/event-stream; charset=utf-8',
  overloadedStatus: 503,
  read: readChat,
  plain,
  stream: chatStream,
  error: writeChatError,
  tooLong: chatTooLong,
  errorInStream: (message) =>
    `data: ${JSON.stringify({ error: { message, type: 'server_error', param: null, code: null } })}\n\n`,
  malformed: () => 'data: {"id":"chatcmpl-sandbox","object":"chat.completion.chunk","choices":[{"index":0,"del\n\n',
};

function plain(spoken: Spoken<ChatRequest>): string {
  const { model, nowS, choices, request, usage, newId } = spoken;
  return JSON.stringify({
    id: chatIdOf(spoken),
    object: 'chat.completion',
    created: nowS,
    model,
    choices: choices.map((choice, index) => ({
      index,
      message: chatMessage(withOwnIds(choice, model), newId, request),
      logprobs: logprobsOf(choice, request.topLogprobs),
      finish_reason: finishReasons[choice.finish],
    })),
    ...(usage && { usage: { ...chatUsage(usage, request), ...toldCharge(spoken) } }),
    service_tier: request.tier,
    system_fingerprint: 'fp_sandbox',
  });
}

function logprobsOf({ blocks }: PlannedAnswer, top: number | null): object | null {
  if (top === null) return null;
  return chatLogprobs(
    blocks.flatMap((block) => (block.type === 'text' ? block.pieces : [])),
    top,
  );
}
