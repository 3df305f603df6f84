import type { DialectName } from '@tollgate/contracts';
import { embeddingTarget } from './target.fixture';
import { embeddingTranslations } from './translate-embeddings';

function prepare(dialect: DialectName, body: object) {
  const translation = embeddingTranslations.find(({ provider }) => provider === dialect);
  if (!translation) throw new Error(`no embeddings of ${dialect}`);
  const bytes = Buffer.from(JSON.stringify({ model: 'acme/vectors', ...body }));
  return translation.prepare(bytes, embeddingTarget(dialect), { includeUsage: false });
}

const sent = (dialect: DialectName, body: object): unknown =>
  JSON.parse(Buffer.concat(prepare(dialect, body).request.body).toString());

function received(dialect: DialectName, body: object, answer: unknown) {
  const reader = prepare(dialect, body).answerReader();
  reader.push(Buffer.from(JSON.stringify(answer)));
  const text = Buffer.from(reader.end()).toString();
  return { reader, response: text === '' ? null : (JSON.parse(text) as unknown) };
}

const response = (embeddings: unknown[], tokens: number) => ({
  object: 'list',
  data: embeddings.map((embedding, index) => ({ object: 'embedding', index, embedding })),
  model: 'acme/vectors',
  usage: { prompt_tokens: tokens, total_tokens: tokens },
});

describe('embeddings of the Gemini API', () => {
  const vectors = { embeddings: [{ values: [3, 4] }, { values: [0, 2] }] };

  it('are asked in one batch, with the size that the caller wants', () => {
    expect(prepare('gemini', { input: 'a' }).request.path).toBe('/models/vectors-1:batchEmbedContents');
    expect(sent('gemini', { input: ['a', 'b'], dimensions: 2 })).toEqual({
      requests: ['a', 'b'].map((text) => ({
        model: 'models/vectors-1',
        content: { parts: [{ text }] },
        outputDimensionality: 2,
      })),
    });
  });

  it("have length 1 as OpenAI's, and are counted by tokenizer, which the usage shows as not told", () => {
    const { reader, response: body } = received('gemini', { input: ['Hello world', 'Bye'] }, vectors);
    expect(body).toEqual(
      response(
        [
          [0.6, 0.8],
          [0, 1],
        ],
        3,
      ),
    );
    expect(reader.usage).toBeNull();
  });

  it('have the count of a model that tells one', () => {
    const answer = { ...vectors, usageMetadata: { promptTokenCount: 9 } };
    const { reader, response: body } = received('gemini', { input: ['a', 'b'] }, answer);
    expect(body).toMatchObject({ usage: { prompt_tokens: 9 } });
    expect(reader.usage).toMatchObject({ input: 9, output: 0 });
  });
});

describe('embeddings of Cohere', () => {
  const answer = { embeddings: { float: [[0.5, -0.25]] }, meta: { billed_units: { input_tokens: 4 } } };

  it('are asked for documents unless the caller says otherwise, and never cut', () => {
    expect(prepare('cohere', { input: 'a' }).request.path).toBe('/embed');
    expect(sent('cohere', { input: 'a', dimensions: 256 })).toEqual({
      model: 'vectors-1',
      texts: ['a'],
      input_type: 'search_document',
      embedding_types: ['float'],
      truncate: 'NONE',
      output_dimension: 256,
    });
    expect(sent('cohere', { input: 'a', input_type: 'search_query' })).toMatchObject({ input_type: 'search_query' });
    expect(prepare('cohere', { input: 'a', input_type: 'search_query' }).request.warnings).toEqual([]);
  });

  it('come back in the form that was asked for, with what Cohere bills', () => {
    const { reader, response: body } = received('cohere', { input: 'a', encoding_format: 'base64' }, answer);
    expect(body).toEqual(response(['AAAAPwAAgL4='], 4));
    expect(reader.usage).toMatchObject({ input: 4, output: 0 });
  });

  it('are refused for more texts than Cohere takes at once', () => {
    const input = Array.from({ length: 97 }, () => 'a');
    expect(() => prepare('cohere', { input })).toThrow("'input' must hold at most 96 texts for acme/vectors.");
  });
});

describe.each(['gemini', 'cohere'] as const)('embeddings of %s', (dialect) => {
  it('are asked in the words of the tokens that a client cut, and the caller is told', () => {
    const { request } = prepare(dialect, { input: [[15339, 1917], [15339]] });
    expect(Buffer.concat(request.body).toString()).toMatch(/"hello world".*"hello"/);
    expect(request.warnings).toEqual([expect.stringContaining('were decoded')]);
    expect(() => prepare(dialect, { input: [999_999_999] })).toThrow("'input[0]' must be text, or tokens of OpenAI's");
  });

  it('lose no field in silence', () => {
    const { warnings } = prepare(dialect, { input: 'a', user: 'u', odd: 1, empty: null }).request;
    expect(warnings).toEqual(['user was dropped: Acme does not take it', 'odd was dropped: Acme does not take it']);
  });

  it.each([{}, { embeddings: [] }, { embeddings: { float: [] } }, { embeddings: [{ values: ['x'] }] }, []])(
    'are no answer when the provider sent %j',
    (answer) => {
      const { reader, response: body } = received(dialect, { input: 'a' }, answer);
      expect(body).toBeNull();
      expect(reader).toMatchObject({ state: 'failed', error: { fault: 'retryable', code: 'malformed_answer' } });
    },
  );
});

describe('an error of a provider of embeddings', () => {
  it.each([
    ['gemini', 400, '{"error":{"code":400,"message":"too long","status":"INVALID_ARGUMENT"}}', 'caller'],
    ['gemini', 400, '{"error":{"code":400,"message":"API key not valid.","status":"INVALID_ARGUMENT"}}', 'ours'],
    ['cohere', 400, '{"message":"too many tokens"}', 'caller'],
    ['cohere', 401, '{"message":"invalid api token"}', 'ours'],
    ['cohere', 429, '{"message":"slow down"}', 'retryable'],
  ] as const)('of %s with status %i is judged by its own words', (dialect, status, text, fault) => {
    const translation = embeddingTranslations.find(({ provider }) => provider === dialect);
    expect(translation?.readError(status, {}, Buffer.from(text), 'Acme', 0)).toMatchObject({ fault });
  });
});
