import type OpenAI from 'openai';
import { RunningSandbox } from '../testing/running-sandbox.fixture';

let sandbox: RunningSandbox;
beforeAll(async () => {
  sandbox = await RunningSandbox.start();
});
afterAll(() => sandbox.close());

it.each([
  ['moonshotai/Kimi-K3', {}, true],
  ['moonshotai/Kimi-K3', { reasoning_effort: 'none' }, true],
  ['moonshotai/Kimi-K3', { reasoning: { enabled: false } }, false],
  ['zai-org/GLM-5.3', { reasoning: { enabled: false } }, true],
  ['nvidia/nemotron-3-ultra-550b-a55b', {}, true],
  ['nvidia/nemotron-3-ultra-550b-a55b', { reasoning: { enabled: false } }, false],
  ['deepcogito/cogito-v2-1-671b', {}, true],
  ['deepseek-ai/DeepSeek-V3.1', {}, false],
  ['deepseek-ai/DeepSeek-V3.1', { reasoning: { enabled: true } }, true],
  ['meta-llama/Llama-3.3-70B-Instruct-Turbo', {}, false],
])('%s at Together thinks as `reasoning` says, or else as it does by itself: %j', async (model, said, thinks) => {
  const headers = { authorization: 'Bearer sk-test', 'x-simulated-provider': 'togetherai' };
  const answer = await sandbox.post(
    '/openai-chat/chat/completions',
    { messages: [{ role: 'user', content: 'hi' }], ...said, model },
    headers,
  );
  expect(answer.status).toBe(200);
  const { choices } = (await answer.json()) as OpenAI.ChatCompletion;
  expect('reasoning_content' in (choices[0]?.message ?? {})).toBe(thinks);
});
