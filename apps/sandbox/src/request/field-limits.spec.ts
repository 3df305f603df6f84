import { readMessages } from '../anthropic-messages/read-messages';
import { readConverse } from '../bedrock-converse/read-converse';
import { readCohereChat } from '../cohere/read-cohere-chat';
import { readGeneration } from '../gemini/read-generation';
import { readChat } from '../openai-chat/read-chat';
import { readResponses } from '../openai-responses/read-responses';
import { Refusal } from './refusal';
import type { Addressed } from '../speech/simulated-dialect';

type Json = Record<string, unknown>;

const addressed: Addressed = {
  path: '/',
  model: null,
  stream: null,
  query: '',
  version: '2023-06-01',
  betas: '',
  provider: '',
};
const anything = { type: 'object', properties: {} };
const many = (count: number, one: (index: number) => unknown) =>
  Array.from({ length: count }, (_, index) => one(index));
const user = { role: 'user', content: 'hi' };

const chatTool = (index: number) => ({ type: 'function', function: { name: `f_${index}`, parameters: anything } });
const chatCall = (more: Json = {}, id = 'call_1') => ({
  messages: [
    user,
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id, type: 'function', function: { name: 'f', arguments: '{}' }, ...more }],
    },
    { role: 'tool', tool_call_id: id, content: 'found' },
  ],
});
const chatPart = (part: Json) => ({ messages: [{ role: 'user', content: [part] }] });
const pixel = 'data:image/png;base64,AAAA';

/** https://github.com/openai/openai-openapi (openapi.json, CreateChatCompletionRequest) */
const chat: Limits = [
  ['temperature', { temperature: 2 }, { temperature: 2.1 }],
  ['top_p', { top_p: 1 }, { top_p: 1.1 }],
  // The model that is asked below rests unasked.
  ['temperature', { temperature: 0.5, reasoning_effort: 'none' }, { temperature: 0.5, reasoning_effort: 'low' }],
  ['presence_penalty', { presence_penalty: -2 }, { presence_penalty: -2.1 }],
  ['frequency_penalty', { frequency_penalty: 2 }, { frequency_penalty: 2.1 }],
  ['top_logprobs', { logprobs: true, top_logprobs: 20 }, { logprobs: true, top_logprobs: 21 }],
  ['n', { n: 128 }, { n: 129 }],
  ['n', { n: 1 }, { n: 0 }],
  ['stop', { model: 'gpt-4.1', stop: [...'abcd'] }, { model: 'gpt-4.1', stop: [...'abcde'] }],
  ['stop', { model: 'gpt-4.1', stop: ['a'] }, { model: 'gpt-4.1', stop: [] }],
  ['stop', { model: 'gpt-5.5', stop: ['a'] }, { stop: ['a'] }],
  ['seed', { seed: -1 }, { seed: 1.5 }],
  ['logit_bias', { logit_bias: { 50_256: -100 } }, { logit_bias: { 50_256: -101 } }],
  ['logit_bias', { logit_bias: {} }, { logit_bias: [] }],
  ['user', { user: 'u'.repeat(64) }, { user: 'u'.repeat(65) }],
  ['safety_identifier', { safety_identifier: 's'.repeat(64) }, { safety_identifier: 's'.repeat(65) }],
  ['prompt_cache_key', { prompt_cache_key: 'k'.repeat(64) }, { prompt_cache_key: 'k'.repeat(65) }],
  ['prompt_cache_retention', { prompt_cache_retention: '24h' }, { prompt_cache_retention: '48h' }],
  ['prompt_cache_options', { prompt_cache_options: { mode: 'explicit' } }, { prompt_cache_options: { mode: 'all' } }],
  ['service_tier', { service_tier: 'flex' }, { service_tier: 'cheap' }],
  ['verbosity', { verbosity: 'low' }, { verbosity: 'none' }],
  ['reasoning_effort', { reasoning_effort: null }, { reasoning_effort: 'huge' }],
  ['modalities', { modalities: ['text'] }, { modalities: ['smell'] }],
  ['store', { store: true }, { store: 'yes' }],
  ['metadata', { store: true, metadata: { a: 'b' } }, { store: true, metadata: { a: 1 } }],
  ['web_search_options', { web_search_options: {} }, { web_search_options: { search_context_size: 'all' } }],
  ['messages', {}, { messages: [] }],
  ['content', chatPart({ type: 'text', text: 'hi' }), { messages: [{ role: 'user', content: [] }] }],
  ['text', chatPart({ type: 'text', text: '' }), chatPart({ type: 'text' })],
  [
    'image_url',
    chatPart({ type: 'image_url', image_url: { url: pixel } }),
    chatPart({ type: 'image_url', image_url: pixel }),
  ],
  [
    'detail',
    chatPart({ type: 'image_url', image_url: { url: pixel, detail: 'low' } }),
    chatPart({ type: 'image_url', image_url: { url: pixel, detail: 'tiny' } }),
  ],
  [
    'format',
    chatPart({ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }),
    chatPart({ type: 'input_audio', input_audio: { data: 'AAAA', format: 'ogg' } }),
  ],
  ['type of a call', chatCall(), chatCall({ type: 'tool' })],
  ['arguments', chatCall(), chatCall({ function: { name: 'f' } })],
  ['arguments', chatCall(), chatCall({ function: { name: 'f', arguments: {} } })],
  // https://github.com/vercel/ai/issues/5171
  ['id of a call', chatCall({}, 'c'.repeat(40)), chatCall({}, 'c'.repeat(41))],
  // https://github.com/FlowiseAI/Flowise/issues/2948
  ['name', { messages: [{ ...user, name: 'Ada_L' }] }, { messages: [{ ...user, name: 'Ada L.' }] }],
  // https://github.com/musistudio/claude-code-router/issues/686
  ['tools', { tools: many(128, chatTool) }, { tools: many(129, chatTool) }],
  // https://github.com/digitalocean-labs/mcp-digitalocean/issues/265
  ['parameters', withSchema({ a: { type: 'array', items: {} } }), withSchema({ a: { type: 'array' } })],
  ['parameters', withSchema({}), withSchema(undefined)],
  ['tool_choice', { tools: [chatTool(1)], tool_choice: 'required' }, { tools: [chatTool(1)], tool_choice: 'any' }],
  [
    'tool_choice',
    { tools: [chatTool(1)], tool_choice: allowed('auto') },
    { tools: [chatTool(1)], tool_choice: allowed('some') },
  ],
];

function withSchema(properties: Json | undefined): Json {
  return { tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object', properties } } }] };
}

function allowed(mode: string): Json {
  return { type: 'allowed_tools', allowed_tools: { mode, tools: [chatTool(1)] } };
}

const said = (item: Json) => ({ input: [user, item] });
const answered = (id: string, output: unknown = 'found', more: Json = {}) => ({
  input: [
    user,
    { type: 'function_call', call_id: id, name: 'f', arguments: '{}', ...more },
    { type: 'function_call_output', call_id: id, output },
  ],
});
const shown = (part: Json) => ({ input: [{ role: 'user', content: [part] }] });
const search = (more: Json) => ({ tools: [{ type: 'web_search', ...more }] });
const inText = (format: Json) => ({ tools: [{ type: 'custom', name: 'f', format }] });

/** https://github.com/openai/openai-openapi (openapi.json, CreateResponse) */
const responses: Limits = [
  ['temperature', { temperature: 0 }, { temperature: -0.1 }],
  ['top_p', { top_p: 0 }, { top_p: -0.1 }],
  ['top_logprobs', { top_logprobs: 20 }, { top_logprobs: 21 }],
  ['max_output_tokens', { max_output_tokens: 16 }, { max_output_tokens: 15 }],
  ['truncation', { truncation: 'auto' }, { truncation: 'yes' }],
  ['verbosity', { text: { verbosity: 'high' } }, { text: { verbosity: 'max' } }],
  ['reasoning.mode', { reasoning: { mode: 'standard' } }, { reasoning: { mode: 'amateur' } }],
  ['reasoning.context', { reasoning: { context: 'auto' } }, { reasoning: { context: 'none' } }],
  ['reasoning.summary', { reasoning: { summary: 'concise' } }, { reasoning: { summary: 'long' } }],
  ['service_tier', { service_tier: 'ultrafast' }, { service_tier: 'slow' }],
  ['include', { include: ['reasoning.encrypted_content'] }, { include: ['reasoning'] }],
  ['prompt_cache_retention', { prompt_cache_retention: 'in_memory' }, { prompt_cache_retention: '1h' }],
  ['prompt_cache_options', { prompt_cache_options: { mode: 'implicit' } }, { prompt_cache_options: { mode: 'none' } }],
  ['metadata', { metadata: { a: 'b'.repeat(512) } }, { metadata: { a: 'b'.repeat(513) } }],
  ['metadata', { metadata: { a: 'b' } }, { metadata: { a: true } }],
  ['metadata', { metadata: Object.fromEntries(labels(16)) }, { metadata: Object.fromEntries(labels(17)) }],
  ['store', { store: false }, { store: 0 }],
  [
    'context_management',
    { context_management: [{ type: 'compaction', compact_threshold: 1_000 }] },
    { context_management: [{ type: 'compaction', compact_threshold: 999 }] },
  ],
  ['context_management', { context_management: null }, { context_management: [] }],
  // https://github.com/RooCodeInc/Roo-Code/pull/10763
  ['call_id', answered('c'.repeat(64)), answered('c'.repeat(65))],
  ['status', answered('c', 'x', { status: 'completed' }), answered('c', 'x', { status: 'done' })],
  ['namespace', answered('c', 'x', { namespace: 'n'.repeat(64) }), answered('c', 'x', { namespace: 'n'.repeat(65) })],
  ['output', answered('c', ''), answered('c', 'x'.repeat(10_485_761))],
  ['detail', shown({ type: 'input_image', detail: 'original' }), shown({ type: 'input_image', detail: 'tiny' })],
  // https://github.com/earendil-works/pi/issues/1022
  [
    'id',
    answered('c', 'x', { id: 'fc_a' }),
    answered('c', 'x', { id: 'fc_HIRrd_iGUNoLRcc7im4gz2kdiQFOwKZgNa0URL_LmF3ht67ynvg51Fjq7Or2+' }),
  ],
  // https://github.com/can1357/oh-my-pi/issues/284
  ['id', answered('c', 'x', { id: `fc_${'a'.repeat(61)}` }), answered('c', 'x', { id: `fc_${'a'.repeat(62)}` })],
  [
    'phase',
    said({ role: 'assistant', content: 'a', phase: 'commentary' }),
    said({ role: 'assistant', content: 'a', phase: 'draft' }),
  ],
  ['search_context_size', search({ search_context_size: 'low' }), search({ search_context_size: 'all' })],
  ['user_location', search({ user_location: { type: 'approximate' } }), search({ user_location: { type: 'exact' } })],
  [
    'syntax',
    inText({ type: 'grammar', syntax: 'lark', definition: 'a' }),
    inText({ type: 'grammar', syntax: 'ebnf', definition: 'a' }),
  ],
  ['format', inText({ type: 'text' }), inText({ type: 'html' })],
];

function labels(count: number): [string, string][] {
  return many(count, (index) => `label-${index}`).map((name) => [String(name), 'x']);
}

const marked = (control: Json) => ({
  messages: [{ role: 'user', content: [{ type: 'text', text: 'hi', cache_control: control }] }],
});
const image = (letters: number) => ({
  messages: [
    {
      role: 'user',
      content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'A'.repeat(letters) } }],
    },
  ],
});
const used = (name: string, id = 'toolu_1') => ({
  messages: [
    user,
    { role: 'assistant', content: [{ type: 'tool_use', id, name, input: {} }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'found' }] },
  ],
});

/** https://platform.claude.com/docs/en/api/messages/create */
const messages: Limits = [
  ['temperature', { temperature: 1 }, { temperature: 1.1 }],
  ['top_p', { top_p: 1 }, { top_p: 1.1 }],
  ['top_k', { top_k: 0 }, { top_k: -1 }],
  ['top_k', { top_k: 5 }, { top_k: 5.5 }],
  ['max_tokens', { max_tokens: 1 }, { max_tokens: -1 }],
  ['stop_sequences', { stop_sequences: ['a'] }, { stop_sequences: [' '] }],
  ['user_id', { metadata: { user_id: 'u'.repeat(256) } }, { metadata: { user_id: 'u'.repeat(257) } }],
  ['service_tier', { service_tier: 'auto' }, { service_tier: 'flex' }],
  ['cache_control', marked({ type: 'ephemeral', ttl: '1h' }), marked({ type: 'ephemeral', ttl: '2h' })],
  ['cache_control', marked({ type: 'ephemeral' }), marked({ type: 'persistent' })],
  // https://github.com/anthropics/claude-code/issues/1897
  ['image', image(5_242_880), image(5_242_884)],
  ['name', used('f'.repeat(200)), used('f'.repeat(201))],
  ['id', used('f', 'functions-f_0'), used('f', 'functions.f:0')],
  ['effort', { output_config: { effort: 'max' } }, { output_config: { effort: 'minimal' } }],
  [
    'display',
    { thinking: { type: 'adaptive', display: 'omitted' } },
    { thinking: { type: 'adaptive', display: 'none' } },
  ],
];

const config = (more: Json) => ({ generationConfig: more });
const declared = (count: number) => ({
  tools: [{ functionDeclarations: many(count, (index) => ({ name: `f_${index}` })) }],
});

const named = (name: string) => ({ tools: [{ functionDeclarations: [{ name }] }] });

/** https://ai.google.dev/api/generate-content#generationconfig */
const gemini: Limits = [
  ['temperature', config({ temperature: 2 }), config({ temperature: 2.1 })],
  ['topP', config({ topP: 1 }), config({ topP: 1.1 })],
  ['topK', config({ topK: 1 }), config({ topK: 1.5 })],
  ['candidateCount', config({ candidateCount: 8 }), config({ candidateCount: 9 })],
  ['stopSequences', config({ stopSequences: [...'abcde'] }), config({ stopSequences: [...'abcdef'] })],
  ['logprobs', config({ responseLogprobs: true, logprobs: 20 }), config({ responseLogprobs: true, logprobs: 21 })],
  ['presencePenalty', config({ presencePenalty: -2 }), config({ presencePenalty: 2 })],
  ['frequencyPenalty', config({ frequencyPenalty: -2 }), config({ frequencyPenalty: 2 })],
  ['seed', config({ seed: -2_147_483_648 }), config({ seed: 2_147_483_648 })],
  ['responseModalities', config({ responseModalities: ['TEXT'] }), config({ responseModalities: ['SMELL'] })],
  [
    'mediaResolution',
    config({ mediaResolution: 'MEDIA_RESOLUTION_LOW' }),
    config({ mediaResolution: 'MEDIA_RESOLUTION_TINY' }),
  ],
  // https://github.com/google-gemini/gemini-cli/issues/19083
  ['functionDeclarations', declared(512), declared(513)],
  // https://github.com/AstrBotDevs/AstrBot/issues/5416
  ['name', named('f'.repeat(64)), named('f'.repeat(65))],
];

const inference = (more: Json) => ({ inferenceConfig: more });
const documents = (count: number) => ({
  messages: [
    {
      role: 'user',
      content: [
        { text: 'hi' },
        ...many(count, (index) => ({
          document: { format: 'txt', name: `doc ${index}`, source: { bytes: 'AAAA' } },
        })),
      ],
    },
  ],
});

/**
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html
 * https://docs.aws.amazon.com/bedrock/latest/userguide/inference-api-restrictions.html
 */
const converse: Limits = [
  ['temperature', inference({ temperature: 1 }), inference({ temperature: 1.1 })],
  ['topP', inference({ topP: 0 }), inference({ topP: -0.1 })],
  ['maxTokens', inference({ maxTokens: 1 }), inference({ maxTokens: 0 })],
  ['stopSequences', inference({ stopSequences: ['a'] }), inference({ stopSequences: [' '] })],
  [
    'stopSequences',
    inference({ stopSequences: many(2_500, () => 'a') }),
    inference({ stopSequences: many(2_501, () => 'a') }),
  ],
  ['requestMetadata', { requestMetadata: { a: 'b' } }, { requestMetadata: { a: 'b!' } }],
  [
    'requestMetadata',
    { requestMetadata: Object.fromEntries(labels(16)) },
    { requestMetadata: Object.fromEntries(labels(17)) },
  ],
  [
    'additionalModelResponseFieldPaths',
    { additionalModelResponseFieldPaths: many(10, () => '/a') },
    { additionalModelResponseFieldPaths: many(11, () => '/a') },
  ],
  ['performanceConfig', { performanceConfig: { latency: 'optimized' } }, { performanceConfig: { latency: 'low' } }],
  ['serviceTier', { serviceTier: { type: 'flex' } }, { serviceTier: { type: 'cheap' } }],
  ['documents', documents(5), documents(6)],
];

/** https://docs.cohere.com/reference/chat */
const cohere: Limits = [
  ['temperature', { temperature: 1 }, { temperature: 1.1 }],
  ['p', { p: 0.01 }, { p: 0 }],
  ['p', { p: 0.99 }, { p: 1 }],
  ['k', { k: 500 }, { k: 501 }],
  ['frequency_penalty', { frequency_penalty: 0 }, { frequency_penalty: -0.1 }],
  ['presence_penalty', { presence_penalty: 1 }, { presence_penalty: 1.1 }],
  ['seed', { seed: 0 }, { seed: -1 }],
  ['stop_sequences', { stop_sequences: [...'abcde'] }, { stop_sequences: [...'abcdef'] }],
  ['safety_mode', { safety_mode: 'STRICT' }, { safety_mode: 'LAX' }],
];

/** The last that is taken, and the first that is refused. */
type Limits = [field: string, taken: Json, refused: Json][];

const gpt = { model: 'gpt-5.1', messages: [user] };
const dialects: [name: string, limits: Limits, read: (more: Json) => unknown][] = [
  ['chat completions', chat, (more) => readChat({ ...gpt, ...more }, { provider: 'openai' })],
  ['responses', responses, (more) => readResponses({ model: 'gpt-5.1', input: 'hi', ...more }, addressed)],
  [
    'messages',
    messages,
    (more) => readMessages({ model: 'claude-opus-4-6', max_tokens: 100, messages: [user], ...more }, addressed),
  ],
  [
    'generateContent',
    gemini,
    (more) =>
      readGeneration(
        { contents: [{ role: 'user', parts: [{ text: 'hi' }] }], ...more },
        { ...addressed, model: 'gemini-3-pro:generateContent' },
      ),
  ],
  [
    'converse',
    converse,
    (more) =>
      readConverse(
        { messages: [{ role: 'user', content: [{ text: 'hi' }] }], ...more },
        { ...addressed, model: 'anthropic.claude-sonnet-4-5' },
      ),
  ],
  ['chat of Cohere', cohere, (more) => readCohereChat({ model: 'command-a', messages: [user], ...more })],
];

// As the providers document their fields; each rule that is not in their reference has its report beside it.
describe.each(dialects)('%s', (_, limits, read) => {
  it.each(limits)('bounds %s', (field, taken, refused) => {
    expect(() => read(taken)).not.toThrow();
    expect(() => read(refused)).toThrow(Refusal);
  });
});

it.each([
  ['groq', 'openai/gpt-oss-120b', 128],
  ['xai', 'grok-4.6', 200],
])('chat completions of %s bound tools', (provider, model, most) => {
  const read = (count: number) => readChat({ ...gpt, model, tools: many(count, chatTool) }, { provider });
  expect(() => read(most)).not.toThrow();
  expect(() => read(most + 1)).toThrow(Refusal);
});

const onlyInResponses = [
  'gpt-5.5-pro',
  'gpt-5.4-pro-2026-03-05',
  'gpt-5.1-codex-max',
  'o3-deep-research',
  'codex-mini-latest',
];
it.each(onlyInResponses)('%s is one of the models that responses alone have', (model) => {
  const message = 'This model is only supported in v1/responses and not in v1/chat/completions.';
  const refusal = (): unknown => {
    try {
      return readChat({ ...gpt, model }, { provider: 'openai' });
    } catch (error) {
      return error;
    }
  };
  expect(refusal()).toMatchObject({ message, details: { param: 'model', status: 404 } });
  expect(readResponses({ model, input: 'hi' }, addressed)).toBeDefined();
});
