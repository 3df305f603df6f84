import { responsesForTools } from './openai-rules';
import { builtInProviders } from './registry';

function isInResponsesAlone(model: string): boolean {
  return responsesForTools.some(({ always, models }) => always === true && new RegExp(models).test(model));
}

/** What OpenAI's own client names for responses and not for chat completions, and others of the kind. */
it.each([
  ...['o1-pro', 'o3-pro-2025-06-10', 'gpt-5-pro', 'gpt-5.5-pro', 'openai.gpt-5.4-pro', 'us.openai.gpt-5.5-pro'],
  ...['o3-deep-research', 'o4-mini-deep-research-2025-06-26', 'computer-use-preview', 'codex-mini-latest'],
  ...['gpt-5-codex', 'gpt-5.1-codex', 'gpt-5.1-codex-mini', 'gpt-5.1-codex-max', 'gpt-5.3-codex'],
])('%s is asked in responses alone', (model) => {
  expect(isInResponsesAlone(model)).toBe(true);
});

it.each(['o3', 'o4-mini', 'gpt-5', 'gpt-5-mini', 'gpt-5.5', 'gpt-5-chat-latest', 'gpt-4o', 'gpt-6.1-sol'])(
  '%s is asked in chat completions, too',
  (model) => {
    expect(isInResponsesAlone(model)).toBe(false);
  },
);

it.each(['openai', 'azure', 'bedrock-openai', 'nvidia'])('%s gets nothing of what only others know', (id) => {
  const provider = builtInProviders.find((each) => each.id === id);
  const othersWords = ['thinking', 'reasoning', 'include_reasoning', 'usage'];
  expect(provider?.quirks.chatDropFields).toEqual(expect.arrayContaining(othersWords));
});

it('whoever refuses what OpenRouter calls reasoning is not asked for it in the older word, but Groq knows that', () => {
  const refusing = builtInProviders.filter(({ quirks }) => quirks.chatDropFields.includes('reasoning'));
  const knowing = refusing.filter(({ quirks }) => !quirks.chatDropFields.includes('include_reasoning'));
  expect(knowing.map(({ id }) => id)).toEqual(['groq']);
});

it.each([
  ['moonshotai/Kimi-K3', true],
  ['moonshotai/Kimi-K2.6', true],
  ['moonshotai/Kimi-K2.7-Code', false],
  ['deepseek-ai/DeepSeek-V4-Pro-0813', true],
  ['deepseek-ai/DeepSeek-R1', false],
  ['zai-org/GLM-5.2', true],
  ['zai-org/GLM-5.3', false],
  ['MiniMaxAI/MiniMax-M3', true],
  ['MiniMaxAI/MiniMax-M2.7', false],
  ['Qwen/Qwen3.5-397B-A17B', true],
  ['openai/gpt-oss-120b', false],
  ['deepseek-ai/DeepSeek-V3.1', true],
  ['deepcogito/cogito-v2-1-671b', true],
  ['nvidia/nemotron-3-ultra-550b', true],
])('%s is told at Together not to think, if it can be: %j', (model, canBe) => {
  const { thinkingSwitch } = builtInProviders.find(({ id }) => id === 'togetherai')?.quirks ?? {};
  expect(thinkingSwitch?.member).toBe('reasoning');
  expect(new RegExp(thinkingSwitch?.models ?? '').test(model)).toBe(canBe);
});
