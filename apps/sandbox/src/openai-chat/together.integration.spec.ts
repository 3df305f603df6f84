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
  ['meta-llama/Llama-3.3-70B-Instruct-Turbo', {}, false],
])('%s at Together thinks unless `reasoning` says not to, if it can do without: %j', async (model, said, thinks) => {
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
