import { NotFoundException } from '@nestjs/common';
import { ControlError, GatewayError, rateLimitError } from '@tollgate/contracts';
import { errorHeaders } from './error-reply';
import { toGatewayError, toCallerError } from './to-gateway-error';

describe('what a caller sees of a failure', () => {
  it('is a 503 with Retry-After when a service is away', () => {
    const error = toGatewayError(new ControlError('unavailable', 'metering.usage.get did not answer'));
    expect(error).toMatchObject({ status: 503, type: 'overloaded_error', retryAfterS: 2 });
    expect(error?.message).not.toContain('metering');
  });

  it('is what another service refused, in its words, whichever route asked', () => {
    const told = (['invalid', 'conflict', 'outdated', 'forbidden', 'not_found'] as const).map((code) =>
      toGatewayError(new ControlError(code, `it is ${code}`)),
    );
    expect(told.map((error) => error?.status)).toEqual([400, 409, 409, 403, 404]);
    expect(told.map((error) => error?.message)).toContain('it is conflict');
  });

  it('is nothing of a fault of ours: no message, no status', () => {
    for (const thrown of [
      new Error('password=1'),
      new ControlError('internal', 'SQL'),
      'text',
      undefined,
      { statusCode: 400 },
    ])
      expect(toGatewayError(thrown)).toBeNull();
  });

  it('keeps the status of what Nest and Fastify refuse, and makes 400 of one that the API does not know', () => {
    expect(toGatewayError(new NotFoundException('Cannot GET /secret'))).toMatchObject({ status: 404 });
    expect(toGatewayError(Object.assign(new Error('x'), { statusCode: 414 }))).toMatchObject({ status: 400 });
  });
});

describe('the headers of an error', () => {
  it('carry what its status asks for', () => {
    expect(errorHeaders(new GatewayError(401, 'x'))).toMatchObject({ 'www-authenticate': 'Bearer' });
    expect(errorHeaders(new GatewayError(429, 'x', 7))).toMatchObject({ 'retry-after': '7' });
    for (const status of [502, 503] as const)
      expect(errorHeaders(new GatewayError(status, 'x'))).toMatchObject({ 'retry-after': '2' });
    for (const status of [400, 401, 403, 404, 409, 413, 415] as const)
      expect(errorHeaders(new GatewayError(status, 'x'))).toMatchObject({ 'x-should-retry': 'false' });
    expect(errorHeaders(rateLimitError(60, { limit: 'rpm' }))).not.toHaveProperty('x-should-retry');
    expect(errorHeaders(rateLimitError(61, { limit: 'tokens' }))).toMatchObject({
      'x-should-retry': 'false',
      'x-tollgate-limit': 'tokens',
    });
    expect(errorHeaders(new GatewayError(405, 'x'), { allow: ['GET', 'HEAD'] })).toMatchObject({ allow: 'GET, HEAD' });
  });
});

describe('a limit that resets late', () => {
  const retryAfter = (seconds: number, program?: string) =>
    errorHeaders(rateLimitError(seconds, { limit: 'tokens', reason: 'quota_exhausted' }), { program })['retry-after'];

  it('tells programs that would sleep no time to sleep until, and everybody else', () => {
    expect(retryAfter(700_000, 'codex_exec')).toBeUndefined();
    expect(retryAfter(700_000, 'opencode/1.18.33 ai-sdk/provider-utils/4.0.23')).toBeUndefined();
    expect(retryAfter(700_000, 'QwenCode/0.24.4 (linux; x64)')).toBeUndefined();
    expect(retryAfter(700_000)).toBe('700000');
    expect(retryAfter(30, 'codex_exec')).toBe('30');
  });
});

const failure = { code: 'upstream', status: 502, message: 'openai answered 500', retryAfterS: null } as const;

describe('what a caller is told of a failed generation', () => {
  it('is the failure itself', () => {
    expect(toCallerError(failure, null, null)).toMatchObject({ status: 502, message: 'openai answered 500' });
  });

  it('names the provider that failed, and with what, and nobody for what was no provider', () => {
    const answered = { ...failure, details: { status: 500 } };
    expect(toCallerError(answered, null, 'openai').details).toEqual({ status: 500, provider: 'openai' });
    expect(toCallerError(failure, null, 'openai').details).toEqual({ provider: 'openai' });
    expect(toCallerError(failure, null, null).details).toBeNull();
    expect(toCallerError({ ...failure, code: 'refused', status: 400 }, null, 'openai').details).toBeNull();
  });

  it('always has a time to wait when it is a 503', () => {
    expect(toCallerError({ ...failure, status: 503 }, null, null).retryAfterS).toBe(1);
  });

  it('is a 401 when the key was revoked meanwhile', () => {
    expect(toCallerError(failure, 'key_revoked', null)).toMatchObject({ status: 401, type: 'authentication_error' });
  });

  it('is a 502 for a status that the API does not know', () => {
    expect(toCallerError({ ...failure, status: 418 }, null, null).status).toBe(502);
  });
});
