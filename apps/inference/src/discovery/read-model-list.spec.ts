import { readModelList } from './read-model-list';

it("reads llama.cpp's list, which has Ollama's beside OpenAI's", () => {
  // As build 11549 of its server answers GET /v1/models.
  const models = [{ name: 'tiny', model: 'tiny', type: 'model', capabilities: ['completion'] }];
  const data = [{ id: 'tiny', object: 'model', owned_by: 'llamacpp', meta: { n_ctx: 4096, n_ctx_train: 8192 } }];
  expect(readModelList(JSON.stringify({ models, object: 'list', data }))).toEqual([
    { name: 'tiny', contextWindow: 4096 },
  ]);
});

it("reads from OpenAI's list when a model is shut down, where that is a day", () => {
  const entry = { object: 'model', created: 1_686_935_002, owned_by: 'openai' };
  const days = ['2026-12-11', null, 'soon'];
  const data = days.map((shutdown_date, index) => ({ id: `gpt-${index}`, ...entry, shutdown_date }));
  const read = { contextWindow: null, createdAt: 1_686_935_002 };
  expect(readModelList(JSON.stringify({ object: 'list', data }))).toEqual([
    { name: 'gpt-0', ...read, endsOn: '2026-12-11' },
    { name: 'gpt-1', ...read },
    { name: 'gpt-2', ...read },
  ]);
});

it("reads from Mistral's list the window of a model, when it ends and what takes its place", () => {
  const entry = { object: 'model', max_context_length: 131_072, type: 'base' };
  const data = [
    { id: 'm-1', ...entry, deprecation: '2026-07-31T12:00:00Z', deprecation_replacement_model: 'm-2' },
    { id: 'm-2', ...entry, deprecation: null, deprecation_replacement_model: null },
    { id: 'm-3', ...entry, deprecation: 'soon', deprecation_replacement_model: '' },
  ];
  expect(readModelList(JSON.stringify({ object: 'list', data }))).toEqual([
    { name: 'm-1', contextWindow: 131_072, endsOn: '2026-07-31', replacement: 'm-2' },
    { name: 'm-2', contextWindow: 131_072 },
    { name: 'm-3', contextWindow: 131_072 },
  ]);
});

it("reads Gemini's list without what does not generate", () => {
  const models = [
    { name: 'models/gemini-3', inputTokenLimit: 1000, supportedGenerationMethods: ['generateContent'] },
    { name: 'models/other', supportedGenerationMethods: ['predict'] },
  ];
  expect(readModelList(JSON.stringify({ models }))).toEqual([{ name: 'gemini-3', contextWindow: 1000 }]);
});

it("reads Cohere's list without what is at its end or asked elsewhere", () => {
  const models = [
    { name: 'command-b', endpoints: ['generate', 'chat'], context_length: 256_000, is_deprecated: false },
    { name: 'embed-v5.0', endpoints: ['embed', 'embed_image'], context_length: 128_000 },
    { name: 'command-light', endpoints: ['chat'], context_length: 4_096, is_deprecated: true },
    { name: 'transcribe', endpoints: ['transcriptions'] },
  ];
  expect(readModelList(JSON.stringify({ models, next_page_token: '' }))).toEqual([
    { name: 'command-b', contextWindow: 256_000 },
    { name: 'embed-v5.0', contextWindow: 128_000 },
  ]);
});

it('takes null for no models, as an Ollama without one has it', () => {
  // https://github.com/ollama/ollama/blob/v0.17.4/openai/openai.go
  expect(readModelList('{"object":"list","data":null}')).toEqual([]);
  expect(readModelList('{"data":null}')).toBeNull();
});
