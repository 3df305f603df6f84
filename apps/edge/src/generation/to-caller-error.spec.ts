import { toCallerError } from './to-caller-error';

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
