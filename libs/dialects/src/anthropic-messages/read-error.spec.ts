import { anthropicMessagesProviderCodec } from './provider-codec';

const nowMs = Date.parse('2026-07-01T00:00:00Z');

function read(status: number, type: string, message = 'x', headers: Record<string, string> = {}) {
  const body = Buffer.from(JSON.stringify({ type: 'error', error: { type, message }, request_id: 'req_1' }));
  return anthropicMessagesProviderCodec.readError(status, headers, body, 'Anthropic', nowMs);
}

describe('errors of this dialect', () => {
  it.each([
    [400, 'invalid_request_error', 'caller'],
    [401, 'authentication_error', 'ours'],
    [402, 'billing_error', 'ours'],
    [403, 'permission_error', 'ours'],
    [404, 'not_found_error', 'ours'],
    [413, 'request_too_large', 'caller'],
    [429, 'rate_limit_error', 'retryable'],
    [500, 'api_error', 'retryable'],
    [504, 'timeout_error', 'retryable'],
    [529, 'overloaded_error', 'retryable'],
  ])('%d %s is %s', (status, type, fault) => {
    expect(read(status, type)).toMatchObject({ fault, code: type });
  });

  it("takes an empty account for ours, although it comes as the caller's 400", () => {
    const error = read(400, 'invalid_request_error', 'Your credit balance is too low to access the Anthropic API.');
    expect(error).toMatchObject({ fault: 'ours', message: 'Anthropic answered 400' });
  });

  it('hands on what is wrong with a request, without secrets', () => {
    const error = read(
      400,
      'invalid_request_error',
      'prompt is too long: 210000 tokens > 200000, key sk-ant-api03-abcdef',
    );
    expect(error.message).toContain('prompt is too long');
    expect(error.message).not.toContain('sk-ant');
  });

  it('reads Retry-After as seconds and as a date', () => {
    expect(read(429, 'rate_limit_error', 'x', { 'retry-after': '7' }).retryAfterS).toBe(7);
    expect(read(529, 'overloaded_error', 'x', { 'retry-after': 'Wed, 01 Jul 2026 00:00:30 GMT' }).retryAfterS).toBe(30);
  });

  it.each(['', '<html>bad gateway</html>', '[]', '"x"', '{"error":"x"}'])('survives the body %j', (text) => {
    const error = anthropicMessagesProviderCodec.readError(502, {}, Buffer.from(text), 'Anthropic', nowMs);
    expect(error).toEqual({
      fault: 'retryable',
      code: 'http_502',
      message: 'Anthropic answered 502',
      retryAfterS: null,
    });
  });
});
