import { TOTP, Secret } from 'otpauth';
import { enrolmentUri, stepOfCode, toBase32 } from './totp';

/** The secret of the test values of both documents. */
const secret = Buffer.from('12345678901234567890');

it.each([
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
])('knows the code of second %d of RFC 6238, appendix B (its last six digits)', async (seconds, code) => {
  expect(await stepOfCode(secret, code, seconds * 1_000)).toBe(Math.floor(seconds / 30));
});

it.each([
  ['755224', 0],
  ['287082', 1],
  ['359152', 2],
  ['520489', 9],
])('knows %s of counter %d of RFC 4226, appendix D', async (code, counter) => {
  expect(await stepOfCode(secret, code, counter * 30_000)).toBe(counter);
});

it('takes the code of now and of one step before and after, and tells which it was', async () => {
  const nowMs = 1_700_000_000_000;
  const now = Math.floor(nowMs / 30_000);
  const authenticator = new TOTP({ secret: Secret.fromUTF8(String(secret)) });
  for (const [apart, taken] of [
    [-2, false],
    [-1, true],
    [0, true],
    [1, true],
    [2, false],
  ] as const) {
    const code = authenticator.generate({ timestamp: nowMs + apart * 30_000 });
    expect(await stepOfCode(secret, code, nowMs)).toBe(taken ? now + apart : null);
  }
});

it('takes a secret for itself alone, whatever stands beside it in memory', async () => {
  const beside = Buffer.concat([Buffer.from('beside'), secret, Buffer.from('beside')]);
  expect(await stepOfCode(beside.subarray(6, 26), '287082', 59_000)).toBe(1);
  expect(await toBase32(beside.subarray(6, 26))).toBe('GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ');
});

it.each(['', '12345', '1234567', '12345a', '１２３４５６', '123456\n'])(
  'takes no code that is none: %j',
  async (code) => {
    expect(await stepOfCode(secret, code, 0)).toBeNull();
  },
);

it.each([
  ['', ''],
  ['f', 'MY'],
  ['fo', 'MZXQ'],
  ['foo', 'MZXW6'],
  ['foob', 'MZXW6YQ'],
  ['fooba', 'MZXW6YTB'],
  ['foobar', 'MZXW6YTBOI'],
])('writes %j as RFC 4648 does, without padding: %s', async (text, base32) => {
  expect(await toBase32(Buffer.from(text))).toBe(base32);
});

it('tells authenticators all that they need', async () => {
  const uri = new URL(await enrolmentUri(secret, 'gateway.example', 'ada+x@example.com'));
  expect(uri.protocol).toBe('otpauth:');
  expect(decodeURIComponent(uri.pathname)).toBe('/gateway.example:ada+x@example.com');
  expect(Object.fromEntries(uri.searchParams)).toEqual({
    ...{ secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ', issuer: 'gateway.example' },
    ...{ algorithm: 'SHA1', digits: '6', period: '30' },
  });
});
