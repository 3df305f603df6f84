import { memberOf } from '../request/read-values';
import { demand } from '../request/refusal';
import type { Spoken, Dialect } from '../speech/simulated-dialect';
import { contentBlocks, contentOf, inputUsage, stopOf } from './message-content';
import { errorBody, messagesTooLong, writeMessageError } from './message-error';
import { messageStream } from './message-stream';
import { readMessages } from './read-messages';
import { outputUsage, toolUsage } from './server-tools';

/** What a count does not take: it makes no answer. */
const onlyToAnswer = ['max_tokens', 'stream', 'temperature', 'top_p', 'top_k', 'stop_sequences', 'metadata'];

/** The least that there must be room for. */
function budgetIn(body: Record<string, unknown>): number {
  const { budget_tokens: budget } = memberOf(body, 'thinking');
  return typeof budget === 'number' ? budget : 0;
}

/** https://platform.claude.com/docs/en/api/messages/count_tokens */
const tokenCount: Dialect['counting'] = {
  isAsked: ({ path }) => path.endsWith('/count_tokens'),
  generation: (body, addressed) => {
    for (const name of onlyToAnswer) demand(body[name] === undefined, `${name}: Extra inputs are not permitted`);
    return [
      { ...body, max_tokens: 1 + budgetIn(body) },
      { ...addressed, path: '/messages' },
    ];
  },
  answer: (inputTokens) => ({ input_tokens: inputTokens }),
};

/**
 * Anthropic's messages, also as Vertex AI addresses them. https://platform.claude.com/docs/en/api/messages
 * https://docs.cloud.google.com/vertex-ai/generative-ai/docs/partner-models/claude/use-claude
 */
export const anthropicMessages: Dialect = {
  name: 'anthropic-messages',
  paths: [
    { path: '/messages', stream: null },
    { path: '/messages/count_tokens', stream: null },
    { path: '/*', stream: null },
  ],
  counting: tokenCount,
  streamType: 'text/event-stream; charset=utf-8',
  overloadedStatus: 529,
  read: readMessages,
  plain,
  stream: (spoken) => messageStream(spoken, head(spoken)),
  error: writeMessageError,
  tooLong: messagesTooLong,
  errorInStream: (message) => `event: error\ndata: ${errorBody('overloaded_error', message)}\n\n`,
  malformed: () => 'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"ty\n\n',
};

function plain(spoken: Spoken): string {
  const { request, model, choices, usage } = spoken;
  const [answer] = choices;
  return JSON.stringify({
    ...head(spoken),
    content: contentBlocks(spoken).map((block) => ('begun' in block ? block.whole : contentOf(block, request))),
    ...stopOf(answer),
    usage: usage
      ? {
          ...inputUsage(usage, request),
          ...outputUsage(request, model, usage),
          ...toolUsage(answer.hosted),
        }
      : {},
  });
}

function head({ request, model, newId }: Spoken): Record<string, unknown> {
  const by = request.answeredBy ?? model;
  return { id: `msg_${newId().slice(0, 24)}`, type: 'message', role: 'assistant', model: by };
}
