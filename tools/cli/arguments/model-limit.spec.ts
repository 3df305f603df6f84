import { gatherModelLimits } from './model-limit';

it('reads limits of models, each with what it limits', () => {
  const limits = gatherModelLimits('ollama/llama3:8b:tpm=9_000', gatherModelLimits('openai/*:rpm=60,tpm=100000'));
  expect(limits).toEqual([
    { model: 'openai/*', rpm: 60, tpm: 100_000 },
    { model: 'ollama/llama3:8b', rpm: null, tpm: 9_000 },
  ]);
});

it.each(['openai/*', 'openai/*:', ':rpm=1', 'openai/*:rpm=many', 'openai/*:tpd=5', 'a:rpm=99999999999999999999'])(
  'refuses %s',
  (text) => {
    expect(() => gatherModelLimits(text)).toThrow(/Give a pattern|too large/);
  },
);
