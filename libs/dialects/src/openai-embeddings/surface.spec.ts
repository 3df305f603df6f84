import { GatewayError } from '@tollgate/contracts';
import { openaiEmbeddingsSurface } from './surface';

const read = (body: unknown) => openaiEmbeddingsSurface.readRequest(body, JSON.stringify(body).length);

describe('a request for embeddings', () => {
  it.each(['Hello.', ['Hello.', 'Bye.'], [1, 2, 3], [[1, 2], [3]]])('takes the input %j', (input) => {
    expect(read({ model: 'm', input })).toMatchObject({ model: 'm', stream: false, maxOutputTokens: 0, needs: [] });
  });

  it.each([
    [[], 'body'],
    [{ input: 'x' }, "'model'"],
    [{ model: '', input: 'x' }, "'model'"],
    [{ model: 'm' }, "'input'"],
    [{ model: 'm', input: '' }, "'input'"],
    [{ model: 'm', input: [] }, "'input'"],
    [{ model: 'm', input: {} }, "'input'"],
    [{ model: 'm', input: ['a', ''] }, "'input[1]'"],
    [{ model: 'm', input: ['a', 1] }, "'input[1]'"],
    [{ model: 'm', input: [1, 'a'] }, "'input'"],
    [{ model: 'm', input: [1.5] }, "'input'"],
    [{ model: 'm', input: [-1] }, "'input'"],
    [{ model: 'm', input: [[1], []] }, "'input[1]'"],
    [{ model: 'm', input: Array.from({ length: 2_049 }, () => 'a') }, '2048'],
    [{ model: 'm', input: 'x', encoding_format: 'int8' }, "'encoding_format'"],
    [{ model: 'm', input: 'x', dimensions: 0 }, "'dimensions'"],
    [{ model: 'm', input: 'x', dimensions: '3' }, "'dimensions'"],
    [{ model: 'm', input: 'x', user: 1 }, "'user'"],
  ])('%j is a 400 that names what is wrong', (body, named) => {
    expect(() => read(body)).toThrow(GatewayError);
    expect(() => read(body)).toThrow(named);
  });

  it('is counted by tokenizer, and tokens as they are', () => {
    const count = (input: unknown) => openaiEmbeddingsSurface.countInputTokens({ input });
    expect(count('Hello world')).toBe(2);
    expect(count(['Hello world', 'Hello world'])).toBe(4);
    expect(count([11, 12, 13])).toBe(3);
    expect(count([[11], [12, 13]])).toBe(3);
    expect(count({})).toBe(0);
  });

  it('reserves no fewer tokens than it can have', () => {
    for (const input of ['Hello world', '😀😀', [1, 2, 3], [[0], [1]]]) {
      const reserved = read({ model: 'm', input }).inputTokensEstimate;
      expect(reserved).toBeGreaterThanOrEqual(openaiEmbeddingsSurface.countInputTokens({ input }));
    }
  });
});
