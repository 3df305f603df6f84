/** What a question asks, beside the model, of the gateway and of the server alike. */
export interface Question {
  path: string;
  body: Record<string, unknown>;
  isStream?: boolean;
  /**
   * The server is asked `plain` in its place, and the answers are the same words and usage: the gateway
   * speaks a form for it that it is not asked in.
   */
  isTranslated?: boolean;
  /** A name that is asked for in place of the model's own. */
  model?: string;
  /** The server itself has it beside `/v1`. */
  besideV1?: boolean;
}

const chat = (text: unknown, more: object = {}): Question => ({
  path: '/v1/chat/completions',
  body: { messages: [{ role: 'user', content: text }], ...more },
});
const streamed = ({ body, ...question }: Question): Question => ({
  ...question,
  isStream: true,
  body: { ...body, stream: true, ...(question.path.endsWith('completions') && usageToo) },
});
const usageToo = { stream_options: { include_usage: true } };
const schema = {
  type: 'object',
  properties: { city: { type: 'string' }, size: { type: 'integer' } },
  required: ['city', 'size'],
  additionalProperties: false,
};
const lookUp = { name: 'look_up', parameters: { type: 'object', properties: { what: { type: 'string' } } } };
const tools = { tools: [{ type: 'function', function: lookUp }] };
const called = { id: 'abcdefghi', type: 'function', function: { name: 'look_up', arguments: '{"what":"Oslo"}' } };
/** More than a context of 4,096 tokens, for every tokenizer. */
const tooLong = 'river keeps mountain gives '.repeat(2_000);
const picture =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABpfZFQAAAAABJRU5ErkJggg==';

export const questions = {
  plain: chat('Hello?'),
  streamed: streamed(chat('Hello?')),
  reasoning: chat('Please think.'),
  'streamed reasoning': streamed(chat('Please think.')),
  tools: chat('What is it like there?', tools),
  'streamed tools': streamed(chat('What is it like there?', tools)),
  'tool result': {
    path: '/v1/chat/completions',
    body: {
      ...tools,
      messages: [
        { role: 'user', content: 'What is it like there?' },
        { role: 'assistant', content: null, tool_calls: [called] },
        { role: 'tool', tool_call_id: called.id, content: 'rain' },
      ],
    },
  },
  schema: chat('Fill in the form.', {
    response_format: { type: 'json_schema', json_schema: { name: 'form', schema, strict: true } },
  }),
  max_tokens: chat('Please say endless words.', { max_tokens: 7 }),
  stop: chat('Hello?', { stop: [' mountain'] }),
  'own fields': chat('Hello?', { top_k: 3, min_p: 0.1, repeat_penalty: 1, seed: 7 }),
  grammar: chat('Hello?', { grammar: 'root ::= "The river"' }),
  'too long': chat(tooLong),
  'too long stream': streamed(chat(tooLong)),
  'bad input': chat('Hello?', { messages: [{ role: 'user', content: [{ type: 'text' }] }] }),
  'bad schema': chat('Hello?', {
    response_format: { type: 'json_schema', json_schema: { name: 'x', schema: { type: 'nothing' } } },
  }),
  'two choices': chat('Hello?', { n: 2 }),
  'streamed two choices': streamed(chat('Hello?', { n: 2 })),
  'long stream': streamed(chat('Please say endless words.', { max_tokens: 500 })),
  'wrong name': { ...chat('Hello?'), model: 'nobody' },
  picture: chat([
    { type: 'text', text: 'What is it?' },
    { type: 'image_url', image_url: { url: picture } },
  ]),
  messages: {
    path: '/v1/messages',
    isTranslated: true,
    body: { max_tokens: 64, messages: [{ role: 'user', content: 'Hello?' }] },
  },
  'native messages': {
    path: '/v1/messages',
    body: { max_tokens: 64, messages: [{ role: 'user', content: 'Hello?' }] },
  },
  responses: { path: '/v1/responses', isTranslated: true, body: { input: 'Hello?', store: false } },
  completion: { path: '/v1/completions', body: { prompt: 'The', max_tokens: 5 } },
  'streamed completion': streamed({ path: '/v1/completions', body: { prompt: 'The', max_tokens: 5 } }),
  embedding: { path: '/v1/embeddings', body: { input: ['a river', 'a mountain'] } },
  'too long embedding': { path: '/v1/embeddings', body: { input: tooLong } },
  tokenize: { path: '/v1/tokenize', besideV1: true, body: { content: 'The river é', with_pieces: true } },
  'tokenize prompt': { path: '/v1/tokenize', besideV1: true, body: { prompt: 'The river é', return_token_strs: true } },
  detokenize: { path: '/v1/detokenize', besideV1: true, body: { tokens: [5, 300, 301] } },
  'bad tokens': { path: '/v1/detokenize', besideV1: true, body: { tokens: ['a river'] } },
  rerank: { path: '/v1/rerank', body: { query: 'water', documents: ['a river', 'a mountain'] } },
} as const satisfies Record<string, Question>;

export type QuestionName = keyof typeof questions;

/** What every server for chat completions is asked. */
export const chatQuestions = [
  'plain',
  'streamed',
  'reasoning',
  'streamed reasoning',
  'tools',
  'streamed tools',
  'tool result',
  'schema',
  'max_tokens',
  'stop',
  'own fields',
  'too long',
  'too long stream',
  'bad input',
  'bad schema',
  'two choices',
  'streamed two choices',
  'long stream',
  'wrong name',
  'picture',
  'responses',
] as const satisfies readonly QuestionName[];
