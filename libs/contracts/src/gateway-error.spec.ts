import { GatewayError, isGatewayErrorStatus, rateLimitError } from './gateway-error';

describe('an error of the public API', () => {
  it.each([
    [400, 'invalid_request_error'],
    [401, 'authentication_error'],
    [403, 'permission_error'],
    [404, 'not_found_error'],
    [405, 'invalid_request_error'],
    [413, 'invalid_request_error'],
    [415, 'invalid_request_error'],
    [426, 'invalid_request_error'],
    [429, 'rate_limit_error'],
    [500, 'internal_error'],
    [502, 'upstream_error'],
    [503, 'overloaded_error'],
    [504, 'timeout_error'],
  ] as const)('of status %i has type %s and its status as code', (status, type) => {
    expect(new GatewayError(status, 'what happened').body).toEqual({
      error: { message: 'what happened', type, code: status },
    });
  });

  it('holds nothing but message, type and code in its body, also when it says when to retry', () => {
    const error = new GatewayError(503, 'busy', 3);
    expect(error.retryAfterS).toBe(3);
    expect(Object.keys(error.body.error).sort()).toEqual(['code', 'message', 'type']);
  });

  it('tells programs what they act on, where something is to be told', () => {
    const error = new GatewayError(400, 'too long').because('context_length_exceeded');
    expect(error.body.error).toMatchObject({ code: 400, details: { reason: 'context_length_exceeded' } });
  });

  it('says a refusal for a limit in the exact words of the specification', () => {
    const error = rateLimitError(17, { limit: 'rpm' });
    expect(error.status).toBe(429);
    expect(error.retryAfterS).toBe(17);
    expect(error.message).toBe('rate limit exceeded, retry after 17 seconds');
  });

  it('knows its own statuses, and no name that every object inherits', () => {
    expect(isGatewayErrorStatus(429)).toBe(true);
    for (const status of [200, 418, 599, NaN]) expect(isGatewayErrorStatus(status)).toBe(false);
  });
});
