import { findHomeServers, offerOf } from './home-servers';

const answers: Record<string, unknown> = {
  'http://127.0.0.1:11434/v1': { data: [{ id: 'llama3.2:latest', owned_by: 'library' }] },
  'http://127.0.0.1:8000/v1': { data: [{ id: 'Qwen/Qwen3-8B', owned_by: 'vllm' }] },
  'http://127.0.0.1:4000/v1': { error: 'no key' },
};
const ask = async (baseUrl: string): Promise<unknown> => answers[baseUrl] ?? null;

it('finds servers on their usual ports, by what they call themselves where a port has several', async () => {
  const found = await findHomeServers([], 8080, ask);
  expect(found.map(({ preset }) => preset).sort()).toEqual(['ollama', 'vllm']);
  expect(found.map(offerOf)).toContain(
    'Ollama at http://127.0.0.1:11434/v1 has 1 model; under "providers:" in tollgate.yaml: ' +
      "- { id: ollama, preset: ollama, baseUrl: 'http://127.0.0.1:11434/v1', models: discover }",
  );
});

it('asks neither what a provider names already nor the gateway itself', async () => {
  const asked: string[] = [];
  const noting = (baseUrl: string) => {
    asked.push(baseUrl);
    return ask(baseUrl);
  };
  expect(await findHomeServers([{ baseUrl: 'http://localhost:11434/v1' }], 8000, noting)).toEqual([]);
  expect(asked).not.toContain('http://127.0.0.1:8000/v1');
  expect(asked.every((url) => url.startsWith('http://127.0.0.1:'))).toBe(true);
});

it('finds an Ollama that has no models yet', async () => {
  const found = await findHomeServers([], 8080, async (baseUrl) =>
    baseUrl.includes(':11434') ? { object: 'list', data: null } : null,
  );
  expect(found).toEqual([{ preset: 'ollama', baseUrl: 'http://127.0.0.1:11434/v1', models: 0 }]);
});
