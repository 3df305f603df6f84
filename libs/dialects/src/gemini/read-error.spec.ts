import { readError } from './read-error';

const read = (status: number, error: object, headers: Record<string, string> = {}) =>
  readError(status, headers, Buffer.from(JSON.stringify({ error })), 'Google', 0);

describe('an error of Gemini', () => {
  it.each([
    [400, 'INVALID_ARGUMENT', 'caller'],
    [400, 'FAILED_PRECONDITION', 'ours'],
    [401, 'UNAUTHENTICATED', 'ours'],
    [403, 'PERMISSION_DENIED', 'ours'],
    [404, 'NOT_FOUND', 'ours'],
    [429, 'RESOURCE_EXHAUSTED', 'retryable'],
    [499, 'CANCELLED', 'retryable'],
    [500, 'INTERNAL', 'retryable'],
    [503, 'UNAVAILABLE', 'retryable'],
    [504, 'DEADLINE_EXCEEDED', 'retryable'],
    [502, 'YET_TO_COME', 'retryable'],
  ])('%d %s is the fault of: %s', (status, word, fault) => {
    const error = read(status, { code: status, message: 'words', status: word });
    expect(error).toMatchObject({ fault, code: word.toLowerCase() });
  });

  it('about a wrong key is ours, although it calls itself the argument of a caller', () => {
    const wrong = { code: 400, status: 'INVALID_ARGUMENT' };
    const reason = [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' }];
    for (const error of [
      { ...wrong, message: 'API key not valid. Please pass a valid API key.' },
      { ...wrong, message: 'API key expired. Please renew the API key.' },
      { ...wrong, message: 'Nope.', details: reason },
    ])
      expect(read(400, error)).toMatchObject({ fault: 'ours', message: 'Google failed (400)' });
  });

  it('tells when to come back, from a detail or a header', () => {
    const details = [
      { '@type': 'type.googleapis.com/google.rpc.QuotaFailure' },
      { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.074824224s' },
    ];
    const error = { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'quota', details };
    expect(read(429, error).retryAfterS).toBe(35);
    expect(read(429, error, { 'retry-after': '7' }).retryAfterS).toBe(7);
    expect(read(429, { ...error, details: [] }).retryAfterS).toBeNull();
  });

  it('about the length of the input is named as every other provider names it', () => {
    const message = 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).';
    expect(read(400, { code: 400, status: 'INVALID_ARGUMENT', message })).toMatchObject({
      fault: 'caller',
      code: 'context_length_exceeded',
      message: `${message}`,
    });
  });

  it('comes as an array where a stream was asked for', () => {
    const body = Buffer.from('[{"error":{"code":429,"message":"m","status":"RESOURCE_EXHAUSTED"}}]');
    expect(readError(429, {}, body, 'Google', 0)).toMatchObject({ fault: 'retryable', code: 'resource_exhausted' });
  });

  it.each(['', '<html>Bad gateway</html>', '[]', '{"error":"text"}', '{"error":{"status":1,"details":[null]}}'])(
    'copes with any body: %s',
    (body) => {
      expect(readError(502, {}, Buffer.from(body), 'Google', 0)).toEqual({
        fault: 'retryable',
        code: 'http_502',
        message: 'Google failed (502)',
        retryAfterS: null,
      });
    },
  );
});
