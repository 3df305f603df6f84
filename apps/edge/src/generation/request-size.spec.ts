import type { SurfaceRequest } from '@tollgate/dialects/surface';
import { model } from '../testing/catalog-fixture';
import { operations } from './operations';
import { checkWindows, sizeOf } from './request-size';
import type { TokenLimited } from './request-size';
import { readSent } from './sent-request';

const read = (changes: Partial<SurfaceRequest> = {}): SurfaceRequest => ({
  model: 'm',
  stream: false,
  includeUsage: false,
  maxOutputTokens: null,
  inputTokensEstimate: 100,
  mediaTokens: 0,
  needs: [],
  ...changes,
});
const asker = { quotaTokens: null, providerHeaders: {} };
const unlimited = { quotaTokens: null, tpm: null, modelLimits: [] };
const size = (changes: Partial<SurfaceRequest>, quotaTokens: number | null = null, more: Partial<TokenLimited> = {}) =>
  sizeOf({
    read: read(changes),
    body: Buffer.alloc(100),
    model: model('p/m', { maxOutputTokens: 500 }),
    defaultOutput: 200,
    key: { ...unlimited, quotaTokens, ...more },
  });

describe('the size of a request', () => {
  it('is bounded by the caller, the model, and what is assumed', () => {
    expect(size({})).toEqual({ input: 100, output: 200 });
    expect(size({ maxOutputTokens: 300 })).toEqual({ input: 100, output: 300 });
    expect(size({ maxOutputTokens: 64_000 })).toEqual({ input: 100, output: 500 });
    expect(size({ mediaTokens: 40 }).input).toBe(100);
    const untold = model('p/m', { maxOutputTokens: null, contextWindow: 700 });
    const asked = { read: read({ maxOutputTokens: 64_000 }), body: Buffer.alloc(100), defaultOutput: 200 };
    expect(sizeOf({ ...asked, model: untold, key: unlimited })).toEqual({ input: 100, output: 700 });
  });

  it('is a 400 beyond the whole quota, unless it is only assumed', () => {
    expect(size({}, 150)).toEqual({ input: 100, output: 50 });
    expect(() => size({ maxOutputTokens: 300 }, 399)).toThrow(/up to 400 tokens \(100 of input, 300 of output\).*399/);
    expect(() => size({}, 100)).toThrow(/whole token quota/);
  });

  it('is a 400 beyond what the key, or the key of the model, may use in a minute', () => {
    expect(size({}, 1_000, { tpm: 150 })).toEqual({ input: 100, output: 50 });
    expect(() => size({ maxOutputTokens: 300 }, 1_000, { tpm: 399 })).toThrow(
      /more than this key may use in a minute, 399/,
    );
    const modelLimits = [
      { model: 'p/*', rpm: null, tpm: 90 },
      { model: 'other', rpm: null, tpm: 1 },
    ];
    expect(() => size({}, null, { tpm: 150, modelLimits })).toThrow(/may use of this model in a minute, 90/);
    // What is used up for good is refused as such, by a 429.
    expect(size({}, null, { tpm: 0 })).toEqual({ input: 100, output: 1 });
  });
});

it('what no place could take is a 400 in the words that agents know, and only that', () => {
  const places = [model('p/small', { contextWindow: 1_000 }), model('p/large', { contextWindow: 2_000 })];
  const sent = (messages: unknown[]) => {
    const [chat] = operations;
    if (!chat) throw new Error('there is no operation');
    return readSent(chat, Buffer.from(JSON.stringify({ model: 'm', messages })), asker);
  };
  const text = (bytes: number) => sent([{ role: 'user', content: 'a '.repeat(bytes / 2) }]);
  const data = sent([{ role: 'assistant', content: '', sealed: 'x'.repeat(100_000) }]);
  expect(() => checkWindows(text(32_016), places)).toThrow(/prompt is too long: the maximum context length is 2000/);
  let refusal: unknown;
  try {
    checkWindows(text(32_016), places);
  } catch (error) {
    refusal = error;
  }
  expect(refusal).toMatchObject({ details: { reason: 'context_length_exceeded' } });
  expect(() => checkWindows(text(31_800), places)).not.toThrow();
  expect(() => checkWindows(data, places)).not.toThrow();
  expect(() => checkWindows(text(1e6), [...places, model('p/any', { contextWindow: null })])).not.toThrow();
});

it('reads a body that came in the form of another surface as its own, and says so', () => {
  const chat = operations.find(({ path }) => path === '/v1/chat/completions');
  const sentOf = (body: object) => chat && readSent(chat, Buffer.from(JSON.stringify(body)), asker);
  const sent = sentOf({ model: 'm', input: 'Hi', max_output_tokens: 9 });
  expect(sent).toMatchObject({ isRewritten: true, read: { model: 'm', maxOutputTokens: 9 } });
  expect(sent?.parsed).toEqual({ model: 'm', messages: [{ role: 'user', content: 'Hi' }], max_completion_tokens: 9 });
  expect(sentOf({ model: 'm', messages: [{ role: 'user', content: 'Hi' }] })?.isRewritten).toBe(false);
});
