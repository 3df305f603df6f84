import { readError } from './read-error';

const read = (status: number, message: string, headers: Record<string, string> = {}) =>
  readError(status, headers, Buffer.from(JSON.stringify({ id: 'abc', message })), 'Cohere', 0);

describe('an error of Cohere', () => {
  it.each([
    [400, 'caller'],
    [401, 'ours'],
    [402, 'ours'],
    [403, 'ours'],
    [404, 'ours'],
    [422, 'caller'],
    [429, 'retryable'],
    [498, 'ours'],
    [499, 'retryable'],
    [500, 'retryable'],
    [503, 'retryable'],
    [504, 'retryable'],
  ])('%d is the fault of: %s', (status, fault) => {
    expect(read(status, 'words')).toMatchObject({ fault, code: `http_${status}` });
  });

  it('tells a caller the words about their request, but not about our account', () => {
    expect(read(400, "invalid request: 'p' must be less than 1").message).toBe(
      "invalid request: 'p' must be less than 1",
    );
    expect(read(429, 'your trial key abc is limited').message).toBe('Cohere failed (429)');
    expect(read(400, 'invalid api token')).toMatchObject({ fault: 'ours', message: 'Cohere failed (400)' });
  });

  it('about the length of the input is named as every other provider names it', () => {
    const message = 'too many tokens: total number of tokens in the prompt cannot exceed 128000';
    expect(read(400, message)).toMatchObject({ fault: 'caller', code: 'context_length_exceeded' });
  });

  it('reads the time to wait, in seconds and as a date', () => {
    expect(read(429, 'slow', { 'retry-after': '7' }).retryAfterS).toBe(7);
    expect(read(429, 'slow', { 'retry-after': 'Thu, 01 Jan 1970 00:00:09 GMT' }).retryAfterS).toBe(9);
  });

  it.each(['', '<html>Bad gateway</html>', '[]', '{"message":1}'])('copes with any body: %s', (body) => {
    expect(readError(502, {}, Buffer.from(body), 'Cohere', 0)).toEqual({
      fault: 'retryable',
      code: 'http_502',
      message: 'Cohere failed (502)',
      retryAfterS: null,
    });
  });
});
