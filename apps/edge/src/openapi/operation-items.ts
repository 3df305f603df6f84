import type { OpenAPIObject } from '@nestjs/swagger';
import type { SurfaceName } from '@tollgate/contracts';
import { generatesNothing } from '@tollgate/contracts/inference';
import type { TokenizerTask } from '@tollgate/contracts/inference';
import { openaiResponsesSurface } from '@tollgate/dialects/surface';
import type { z } from 'zod';
import { canContinue } from '../generation/continuation-wish';
import type { Operation } from '../generation/operations';
import { operations } from '../generation/operations';
import { chatCompletion, chatCompletionRequest } from './chat-shapes';
import {
  completionsAnswer,
  completionsRequest,
  compactedAnswer,
  inputTokensAnswer,
  responsesAnswer,
  responsesRequest,
  embeddingsAnswer,
  embeddingsRequest,
  countTokensAnswer,
  countTokensRequest,
  messagesAnswer,
  messagesRequest,
} from './surface-shapes';
import {
  errorAnswer,
  messagesErrorAnswer,
  detokenizeAnswer,
  detokenizeRequest,
  rerankAnswer,
  rerankRequest,
  tokenizeAnswer,
  tokenizeRequest,
} from './passed-shapes';
import { errors, parameter, reference } from './document-parts';

/**
 * How an operation is described. Schemas by name; `streamEnds` says how a streamed answer ends, null where
 * nothing streams.
 */
interface Description {
  summary: string;
  request: keyof typeof operationSchemas;
  answer: keyof typeof operationSchemas;
  streamEnds: string | null;
  errorShape: 'Error' | 'MessagesError';
}

/** The schemas of every operation's request, answer and errors. */
export const operationSchemas = {
  ChatCompletionRequest: chatCompletionRequest,
  ChatCompletion: chatCompletion,
  MessagesRequest: messagesRequest,
  Message: messagesAnswer,
  CountTokensRequest: countTokensRequest,
  TokenCount: countTokensAnswer,
  InputTokens: inputTokensAnswer,
  CompactedResponse: compactedAnswer,
  ResponsesRequest: responsesRequest,
  Response: responsesAnswer,
  CompletionsRequest: completionsRequest,
  TextCompletion: completionsAnswer,
  EmbeddingsRequest: embeddingsRequest,
  Embeddings: embeddingsAnswer,
  RerankRequest: rerankRequest,
  Rerank: rerankAnswer,
  TokenizeRequest: tokenizeRequest,
  Tokens: tokenizeAnswer,
  DetokenizeRequest: detokenizeRequest,
  TextOfTokens: detokenizeAnswer,
  Error: errorAnswer,
  MessagesError: messagesErrorAnswer,
} satisfies Record<string, z.ZodType>;

const descriptions: Readonly<Record<SurfaceName, Description>> = {
  'openai-chat': {
    summary: 'Generate a chat completion with any model',
    request: 'ChatCompletionRequest',
    answer: 'ChatCompletion',
    streamEnds: '`data: [DONE]`',
    errorShape: 'Error',
  },
  'anthropic-messages': {
    summary: 'Generate a message with any model',
    request: 'MessagesRequest',
    answer: 'Message',
    streamEnds: '`event: message_stop`',
    errorShape: 'MessagesError',
  },
  'openai-responses': {
    summary: 'Generate a response with any model',
    request: 'ResponsesRequest',
    answer: 'Response',
    streamEnds: '`event: response.completed` (or `response.incomplete`)',
    errorShape: 'Error',
  },
  'openai-embeddings': {
    summary: 'Turn texts into vectors with any embedding model',
    request: 'EmbeddingsRequest',
    answer: 'Embeddings',
    streamEnds: null,
    errorShape: 'Error',
  },
  'openai-completions': {
    summary: 'Complete a text, or fill the gap before a suffix, with a model of a server that has text completions',
    request: 'CompletionsRequest',
    answer: 'TextCompletion',
    streamEnds: '`data: [DONE]`',
    errorShape: 'Error',
  },
  rerank: {
    summary: 'Order documents by how well they fit a question, with a model of a server that reranks',
    request: 'RerankRequest',
    answer: 'Rerank',
    streamEnds: null,
    errorShape: 'Error',
  },
};

const countDescriptions: Readonly<Partial<Record<SurfaceName, Description>>> = {
  'anthropic-messages': {
    summary:
      'Count the input tokens of a message; costs no quota, and is an estimate where the provider does not count',
    request: 'CountTokensRequest',
    answer: 'TokenCount',
    streamEnds: null,
    errorShape: 'MessagesError',
  },
  'openai-responses': {
    summary:
      'Count the input tokens of a response; costs no quota, and is an estimate where the provider does not count',
    request: 'ResponsesRequest',
    answer: 'InputTokens',
    streamEnds: null,
    errorShape: 'Error',
  },
};

const tokenizerDescriptions: Readonly<Record<TokenizerTask, Description>> = {
  tokenize: {
    summary: "The tokens of a text, by the model's own server: llama.cpp, vLLM or SGLang; costs no quota",
    request: 'TokenizeRequest',
    answer: 'Tokens',
    streamEnds: null,
    errorShape: 'Error',
  },
  detokenize: {
    summary: "The text of tokens, by the model's own server: llama.cpp, vLLM or SGLang; costs no quota",
    request: 'DetokenizeRequest',
    answer: 'TextOfTokens',
    streamEnds: null,
    errorShape: 'Error',
  },
};

const compactDescription: Description = {
  summary: 'Compact a conversation: by OpenAI, Azure and xAI in their own way, by a summary of any other model',
  request: 'ResponsesRequest',
  answer: 'CompactedResponse',
  streamEnds: null,
  errorShape: 'Error',
};

/** The path items of everything that callers can have done by a model. */
export function operationItems(): OpenAPIObject['paths'] {
  const items = operations.map((operation) => {
    const hasSockets = operation.path === openaiResponsesSurface.path;
    return [operation.path, { post: toPost(operation), ...(hasSockets && { get: socketOperation() }) }] as const;
  });
  return Object.fromEntries(items);
}

/** https://developers.openai.com/api/docs/guides/websocket-mode */
function socketOperation(): NonNullable<OpenAPIObject['paths'][string]['get']> {
  return {
    summary: 'Responses over WebSocket, as many as are asked for on one connection',
    description: [
      'Each message of the caller is a `response.create` event: the body of the POST beside `type`, and `stream_id` for lanes beside each other (32 with a name; 16 responses at once). Its answer comes as the events of a stream, each a message.',
      'A response with `store: false` can be gone on from (`previous_response_id`) on its connection, as long as it is the last one of its lane; `generate: false` prepares a turn.',
      'Refusals are `error` events with `status`, `error` and `headers`. A connection lasts 60 minutes.',
    ].join(' '),
    parameters: [
      parameter(
        'header',
        'x-tollgate-headers',
        'on: the headers of each answer come first, as an event `response.metadata`',
      ),
      costHeader,
      tagsHeader,
      logHeader,
    ],
    responses: {
      ...errors(['400', '401', '403', '405', '429', '500', '503'], 'Error'),
      '101': { description: 'The connection is open' },
    },
  };
}

function descriptionOf({ surface: { name }, kind }: Operation): Description {
  if (kind === 'tokenize' || kind === 'detokenize') return tokenizerDescriptions[kind];
  if (kind === 'compact') return compactDescription;
  return (kind === 'count_tokens' && countDescriptions[name]) || descriptions[name];
}

function toPost(operation: Operation): NonNullable<OpenAPIObject['paths'][string]['post']> {
  const { surface, kind } = operation;
  const { summary, request, answer, streamEnds, errorShape } = descriptionOf(operation);
  return {
    summary,
    parameters: [
      ...(surface.name === 'anthropic-messages' ? versionHeaders : []),
      ...(kind === 'generate' && canContinue(surface) ? [continuationHeader] : []),
      ...(generatesNothing(kind)
        ? []
        : [...(kind === 'compact' ? [] : cacheHeaders), costHeader, tagsHeader, logHeader]),
    ],
    requestBody: { required: true, content: { 'application/json': { schema: reference(request) } } },
    responses: {
      '400': { description: refusal, content: { 'application/json': { schema: reference(errorShape) } } },
      ...errors(['401', '403', '404', '413', '415', '429', '500', '502', '503', '504'], errorShape),
      '200': {
        description:
          streamEnds === null
            ? 'The answer'
            : `The answer; with \`stream\` true, server-sent events that end with ${streamEnds}`,
        content: {
          'application/json': { schema: reference(answer) },
          ...(streamEnds !== null && { 'text/event-stream': { schema: { type: 'string' as const } } }),
        },
      },
    },
  };
}

const refusal =
  'The request is malformed (the message names the field), or needs what the model lacks: tools, images, files, audio or structured output (the message names both)';

const cacheHeaders = [
  parameter(
    'header',
    'x-tollgate-cache',
    'on: a kept answer to the same question will do; refresh: a new one is wanted, and kept; off. The answer says hit, miss, refresh or bypass',
  ),
  parameter('header', 'x-tollgate-cache-ttl', 'For how many seconds the answer may be kept'),
];

const costHeader = parameter(
  'header',
  'x-tollgate-cost',
  'on (the usual thing where the key is set so): the answer tells its charge in a header of this name: exact US dollars, or unpriced, or unavailable; x-tollgate-cost-unconfirmed: true beside it where its price may be another. A stream tells both as x_tollgate_cost and x_tollgate_cost_unconfirmed of an event in front of its last, a response in the background as such members of its own, once it is there',
);

const continuationHeader = parameter(
  'header',
  'x-tollgate-continue',
  'on (the usual thing where the operator set it for the model): a stream that breaks before a call goes on at another place with the text so far, and a comment of the stream says where; both parts are charged. off: it fails visibly',
);

const logHeader = parameter(
  'header',
  'x-tollgate-log',
  'off: nothing of this request is kept, although its key has its requests and answers logged',
);

const tagsHeader = parameter(
  'header',
  'x-tollgate-tags',
  'Up to 16 tags with commas between them, each a name or name=value, for the bill: what this request is told apart by in reports',
);

const versionHeaders = [
  parameter('header', 'anthropic-version', 'A date, YYYY-MM-DD; 2023-06-01 unless given'),
  parameter('header', 'anthropic-beta', 'Passed on to Anthropic models'),
];
