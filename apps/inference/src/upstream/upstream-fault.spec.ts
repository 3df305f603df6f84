import { errorFromFault, faultFromError, isTimeout } from './upstream-fault';

function systemError(code: string): Error {
  return Object.assign(new Error('a text with a secret'), { code });
}

describe('a fault below HTTP', () => {
  it.each([
    ['ECONNREFUSED', false, 'connect_failed'],
    ['ENOTFOUND', false, 'connect_failed'],
    ['CERT_HAS_EXPIRED', false, 'connect_failed'],
    ['UND_ERR_CONNECT_TIMEOUT', false, 'connect_timeout'],
    ['UND_ERR_SOCKET', true, 'connection_lost'],
    ['ECONNRESET', true, 'connection_lost'],
    ['HPE_INVALID_CONSTANT', true, 'bad_http'],
  ])('is told from %s (request sent: %s) as %s', (code, requestSent, expected) => {
    expect(faultFromError(systemError(code), requestSent)).toEqual({ code: expected, detail: code });
  });

  it("is never the caller's, and says nothing of the system's own text", () => {
    const error = errorFromFault(faultFromError(systemError('ECONNREFUSED'), false), 'Acme');
    expect(error).toEqual({
      fault: 'retryable',
      code: 'connect_failed',
      message: 'Acme could not be reached',
      retryAfterS: null,
    });
  });

  it('of our credentials is ours: another deployment may help, another try does not', () => {
    expect(errorFromFault({ code: 'credentials_failed', detail: 'Error' }, 'Acme')).toMatchObject({ fault: 'ours' });
  });

  it('counts as a timeout only when one of our timers ended it', () => {
    expect(isTimeout({ code: 'idle_timeout', detail: null })).toBe(true);
    expect(isTimeout({ code: 'connection_lost', detail: 'ECONNRESET' })).toBe(false);
  });
});
