import { continuationOf } from './long-answer';
import { readGeneration } from './read-generation';

const read = (model: string, method: string, maxOutputTokens: number, more: object = {}) =>
  readGeneration(
    { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }], generationConfig: { maxOutputTokens }, ...more },
    { path: '/models/*', model: `${model}:${method}`, stream: null, query: '', version: '', betas: '', provider: '' },
  );

// https://ai.google.dev/gemini-api/docs/generate-content/long-decode
describe('an answer of Argon that is longer than one request may write', () => {
  it('has 65,536 tokens in a stream and half of that without, whatever its limit is', () => {
    expect(read('gemini-4-argon', 'streamGenerateContent', 65_536).maxTokens).toBe(65_536);
    expect(read('gemini-4-argon', 'streamGenerateContent', 500_000).maxTokens).toBe(65_536);
    expect(read('gemini-4-argon', 'generateContent', 65_536).maxTokens).toBe(32_768);
    expect(() => read('gemini-4-argon', 'generateContent', 1_048_577)).toThrow('to 1048577 (exclusive)');
    expect(read('gemini-3.8-flash', 'generateContent', 65_536).maxTokens).toBe(65_536);
  });

  it('goes on with its token, in the same request and within the limit of the whole answer', () => {
    const { longAnswer } = read('gemini-4-argon', 'generateContent', 100);
    const full = { finish: 'length', outputTokens: 100 };
    const { continuationToken } = continuationOf(longAnswer, full);
    expect(read('gemini-4-argon', 'generateContent', 150, { continuationToken }).maxTokens).toBe(50);
    expect(() => read('gemini-4-argon', 'generateContent', 100, { continuationToken })).toThrow('must be more than');
    const contents = [{ role: 'user', parts: [{ text: 'Another' }] }];
    for (const [model, more] of [
      ['gemini-4-argon', { contents }],
      ['gemini-4-carbon', {}],
    ] as const)
      expect(() => read(model, 'generateContent', 150, { ...more, continuationToken })).toThrow('not one of this');
    expect(() => read('gemini-3.8-flash', 'generateContent', 150, { continuationToken })).toThrow('Unknown name');
    expect(continuationOf(longAnswer, { ...full, finish: 'stop' })).toEqual({});
    expect(continuationOf(read('gemini-4-argon', 'generateContent', 40_000).longAnswer, full)).toMatchObject({
      finishReason: 'CONTINUATION',
    });
  });
});
