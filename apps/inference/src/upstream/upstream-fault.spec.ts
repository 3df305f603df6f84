import { errorFromFault, explainFault, faultFromError, isTimeout } from './upstream-fault';

function systemError(code: string): Error {
  return Object.assign(new Error('a text with a secret'), { code });
}

function parserError(text: string): Error {
  return Object.assign(new Error(text), { name: 'HTTPParserError', code: undefined });
}

describe('a fault below HTTP', () => {
  it.each([
    ['ECONNREFUSED', false, 'connect_failed'],
    ['ENOTFOUND', false, 'connect_failed'],
    ['CERT_HAS_EXPIRED', false, 'connect_failed'],
    ['UND_ERR_CONNECT_TIMEOUT', false, 'connect_timeout'],
    ['UND_ERR_SOCKET', true, 'connection_lost'],
    ['ECONNRESET', true, 'connection_lost'],
    ['UND_ERR_HEADERS_OVERFLOW', true, 'bad_http'],
  ])('is told from %s (request sent: %s) as %s', (code, requestSent, expected) => {
    expect(faultFromError(systemError(code), requestSent)).toEqual({ code: expected, detail: code });
  });

  it.each([
    ['Response does not match the HTTP/1.1 protocol (Expected HTTP/)', 'bad_http', 'HTTPParserError'],
    ['Response does not match the HTTP/1.1 protocol (Invalid EOF state)', 'connection_lost', 'HPE_INVALID_EOF_STATE'],
  ])('is told from what a parser says: %s', (text, code, detail) => {
    for (const error of [parserError(text), new TypeError('terminated', { cause: parserError(text) })])
      expect(faultFromError(error, true)).toEqual({ code, detail });
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

  it('is explained to the operator by its address and what the system said, or the setting of the limit that passed', () => {
    const url = 'http://127.0.0.1:8081/v1/chat/completions';
    const limits = { connectMs: 1, firstByteMs: 2, idleMs: 3, totalMs: 4 };
    const explain = (code: Parameters<typeof explainFault>[0]['code'], detail: string | null, totalMs = 4) =>
      explainFault({ code, detail }, url, limits, totalMs);
    expect(explain('connect_failed', 'ECONNREFUSED')).toBe(`nobody listens there (ECONNREFUSED)`);
    expect(explain('connection_lost', 'EODD')).toBe(`EODD`);
    const lost = { code: 'connection_lost', detail: 'ECONNRESET' } as const;
    const told = 'the server broke the connection off';
    const ask = '; does it speak https instead of http?';
    const secure = url.replace('http:', 'https:');
    expect(explainFault(lost, url, limits, 4)).toBe(`${told}${ask} (ECONNRESET)`);
    expect(explainFault(lost, url, limits, 4, true)).toBe(`${told} (ECONNRESET)`);
    expect(explainFault(lost, secure, limits, 4)).toBe(`${told} (ECONNRESET)`);
    expect(explain('connection_lost', 'HPE_INVALID_EOF_STATE')).toBe(
      `the server closed the connection before its answer was whole (HPE_INVALID_EOF_STATE)`,
    );
    expect(explain('idle_timeout', null)).toBe(`idleMs of its timeouts is 3`);
    expect(explain('total_timeout', null)).toBe(`totalMs of its timeouts is 4`);
    expect(explain('total_timeout', null, 3)).toBe(`the request's own time was over`);
  });

  it('counts as a timeout only when one of our timers ended it', () => {
    expect(isTimeout({ code: 'idle_timeout', detail: null })).toBe(true);
    expect(isTimeout({ code: 'connection_lost', detail: 'ECONNRESET' })).toBe(false);
  });
});
