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

it("reads Gemini's list without what does not generate", () => {
  const models = [
    { name: 'models/gemini-3', inputTokenLimit: 1000, supportedGenerationMethods: ['generateContent'] },
    { name: 'models/other', supportedGenerationMethods: ['predict'] },
  ];
  expect(readModelList(JSON.stringify({ models }))).toEqual([{ name: 'gemini-3', contextWindow: 1000 }]);
});

it('takes null for no models, as an Ollama without one has it', () => {
  // https://github.com/ollama/ollama/blob/v0.17.4/openai/openai.go
  expect(readModelList('{"object":"list","data":null}')).toEqual([]);
  expect(readModelList('{"data":null}')).toBeNull();
});
