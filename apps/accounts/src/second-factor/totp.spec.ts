import { codeOf, enrolmentUri, stepAt, stepOfCode, toBase32 } from './totp';

/** The secret of the test values of both documents. */
const secret = Buffer.from('12345678901234567890');

it.each([
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
])('makes the code of second %d as RFC 6238, appendix B, does (its last six digits)', (seconds, code) => {
  expect(codeOf(secret, stepAt(seconds * 1_000))).toBe(code);
});

it.each([
  ['755224', 0],
  ['287082', 1],
  ['359152', 2],
  ['520489', 9],
])('makes %s of counter %d, as RFC 4226, appendix D, does', (code, counter) => {
  expect(codeOf(secret, counter)).toBe(code);
});

it('takes the code of now and of one step before and after, and tells which it was', () => {
  const nowMs = 1_700_000_000_000;
  const now = stepAt(nowMs);
  for (const [apart, taken] of [
    [-2, false],
    [-1, true],
    [0, true],
    [1, true],
    [2, false],
  ] as const)
    expect(stepOfCode(secret, codeOf(secret, now + apart), nowMs)).toBe(taken ? now + apart : null);
});

it.each(['', '12345', '1234567', '12345a', '１２３４５６', '123456\n'])('takes no code that is none: %j', (code) => {
  expect(stepOfCode(secret, code, 0)).toBeNull();
});

it.each([
  ['', ''],
  ['f', 'MY'],
  ['fo', 'MZXQ'],
  ['foo', 'MZXW6'],
  ['foob', 'MZXW6YQ'],
  ['fooba', 'MZXW6YTB'],
  ['foobar', 'MZXW6YTBOI'],
])('writes %j as RFC 4648 does, without padding: %s', (text, base32) => {
  expect(toBase32(Buffer.from(text))).toBe(base32);
});

it('tells authenticators all that they need', () => {
  const uri = new URL(enrolmentUri(secret, 'gateway.example', 'ada+x@example.com'));
  expect(uri.protocol).toBe('otpauth:');
  expect(decodeURIComponent(uri.pathname)).toBe('/gateway.example:ada+x@example.com');
  expect(Object.fromEntries(uri.searchParams)).toEqual({
    ...{ secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ', issuer: 'gateway.example' },
    ...{ algorithm: 'SHA1', digits: '6', period: '30' },
  });
});
