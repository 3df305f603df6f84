import type { SurfaceName } from '@tollgate/contracts';

/**
 * What a surface looks like in the tests of edge: a request, and pieces of an answer in its own words. `text`
 * is a piece's text.
 */
export interface SurfaceSample {
  /** Without `stream`. */
  readonly request: Readonly<Record<string, unknown>>;
  readonly answer: object;
  /** Written once before the first piece. */
  readonly streamStart: string;
  streamPiece(text: string): string;
  /** What only a stream that is complete ends with. */
  readonly streamEnd: string;
}

const model = 'openai/gpt-5.4-mini';
const chatMessages = [{ role: 'user', content: 'Hello?' }];

const openaiChat: SurfaceSample = {
  request: { model, messages: chatMessages, max_tokens: 50 },
  answer: {
    id: 'c1',
    object: 'chat.completion',
    created: 1,
    model,
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hello.' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 },
  },
  streamStart: '',
  streamPiece: (content) =>
    event({ id: 'c1', object: 'chat.completion.chunk', created: 1, model, choices: [choice(content)] }),
  streamEnd: 'data: [DONE]\n\n',
};

const anthropicMessages: SurfaceSample = {
  request: { model, messages: chatMessages, max_tokens: 50 },
  answer: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model,
    content: [{ type: 'text', text: 'Hello.' }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 20 },
  },
  streamStart: event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
  streamPiece: (text) => event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
  streamEnd: event({ type: 'message_stop' }),
};

const openaiResponses: SurfaceSample = {
  request: { model, input: 'Hello?', max_output_tokens: 50 },
  answer: { id: 'resp_1', object: 'response', created_at: 1, status: 'completed', model, output: [], usage: null },
  streamStart: event({ type: 'response.output_item.added', output_index: 0, item: { id: 'm', type: 'message' } }),
  streamPiece: (delta) =>
    event({ type: 'response.output_text.delta', item_id: 'm', output_index: 0, content_index: 0, delta }),
  streamEnd: event({ type: 'response.completed', response: { id: 'resp_1', status: 'completed' } }),
};

/** The vector is [0.5, -0.25]. */
const openaiEmbeddings: SurfaceSample = {
  request: { model: 'openai/text-embedding-3-small', input: 'Hello?', encoding_format: 'base64' },
  answer: {
    object: 'list',
    data: [{ object: 'embedding', index: 0, embedding: 'AAAAPwAAgL4=' }],
    model: 'text-embedding-3-small',
    usage: { prompt_tokens: 10, total_tokens: 10 },
  },
  streamStart: '',
  streamPiece: () => '',
  streamEnd: '',
};

const openaiCompletions: SurfaceSample = {
  request: { model, prompt: 'Hello?', max_tokens: 50 },
  answer: {
    id: 'cmpl-1',
    object: 'text_completion',
    created: 1,
    model,
    choices: [{ index: 0, text: 'Hello.', finish_reason: 'stop' }],
    usage: { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 },
  },
  streamStart: '',
  streamPiece: (text) =>
    event({
      id: 'cmpl-1',
      object: 'text_completion',
      created: 1,
      model,
      choices: [{ index: 0, text, finish_reason: null }],
    }),
  streamEnd: 'data: [DONE]\n\n',
};

const rerank: SurfaceSample = {
  request: { model: 'home/reranker', query: 'Hello?', documents: ['Bye.', 'Hello.'] },
  answer: {
    results: [
      { index: 1, relevance_score: 0.9 },
      { index: 0, relevance_score: 0.1 },
    ],
    usage: { prompt_tokens: 10, total_tokens: 10 },
  },
  streamStart: '',
  streamPiece: () => '',
  streamEnd: '',
};

export const surfaceSamples: Readonly<Record<SurfaceName, SurfaceSample>> = {
  'openai-chat': openaiChat,
  'anthropic-messages': anthropicMessages,
  'openai-responses': openaiResponses,
  'openai-embeddings': openaiEmbeddings,
  'openai-completions': openaiCompletions,
  rerank,
};

function choice(content: string) {
  return { index: 0, delta: { content }, finish_reason: null };
}

/** Named as the dialects that name their events do. */
function event(data: Record<string, unknown>): string {
  const name = typeof data.type === 'string' ? `event: ${data.type}\n` : '';
  return `${name}data: ${JSON.stringify(data)}\n\n`;
}
