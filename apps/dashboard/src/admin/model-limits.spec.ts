import { modelLimitsField, modelLimitsFrom, modelLimitsText } from './model-limits';

const limits = [
  { model: 'openai/*', rpm: 60, tpm: 100_000 },
  { model: 'ollama/llama3:8b', rpm: null, tpm: 5 },
  { model: 'a name of words', rpm: 1, tpm: null },
];

it('limits of models are read as they are written', () => {
  const text = modelLimitsText(limits);
  expect(text).toBe('openai/* rpm=60 tpm=100000\nollama/llama3:8b tpm=5\na name of words rpm=1');
  expect(modelLimitsFrom(`\n ${text}\n\n`)).toEqual(limits);
  expect(modelLimitsFrom('')).toEqual([]);
});

it.each(['openai/*', 'openai/* tpm=', 'rpm=5', 'openai/* tpd=5', 'a rpm=5\na tpm=6', 'a tpm=99999999999999999999'])(
  'refuses %j',
  (text) => {
    expect(modelLimitsField.safeParse(text).success).toBe(false);
  },
);
