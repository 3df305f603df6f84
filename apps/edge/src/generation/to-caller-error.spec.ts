import { toCallerError } from './to-caller-error';

const failure = { code: 'upstream', status: 502, message: 'openai answered 500', retryAfterS: null } as const;

describe('what a caller is told of a failed generation', () => {
  it('is the failure itself', () => {
    expect(toCallerError(failure, null)).toMatchObject({ status: 502, message: 'openai answered 500' });
  });

  it('always has a time to wait when it is a 503', () => {
    expect(toCallerError({ ...failure, status: 503 }, null).retryAfterS).toBe(1);
  });

  it('is a 401 when the key was revoked meanwhile', () => {
    expect(toCallerError(failure, 'key_revoked')).toMatchObject({ status: 401, type: 'authentication_error' });
  });

  it('is a 502 for a status that the API does not know', () => {
    expect(toCallerError({ ...failure, status: 418 }, null).status).toBe(502);
  });
});
