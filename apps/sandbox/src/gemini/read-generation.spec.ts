import { readGeneration } from './read-generation';

const read = (model: string, method: string, maxOutputTokens: number) =>
  readGeneration(
    { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }], generationConfig: { maxOutputTokens } },
    { path: '/models/*', model: `${model}:${method}`, stream: null, query: '', version: '', betas: '', provider: '' },
  );

// https://docs.cloud.google.com/gemini-enterprise-agent-platform/models/guides/gemini-4-argon
it('lets Argon write 65,536 tokens in a stream, and half of that without', () => {
  expect(read('gemini-4-argon', 'streamGenerateContent', 65_536).maxTokens).toBe(65_536);
  expect(() => read('gemini-4-argon', 'generateContent', 65_536)).toThrow(
    'supported range is from 1 (inclusive) to 32769',
  );
  expect(read('gemini-4-argon', 'generateContent', 32_768).maxTokens).toBe(32_768);
  expect(read('gemini-3.8-flash', 'generateContent', 65_536).maxTokens).toBe(65_536);
});
