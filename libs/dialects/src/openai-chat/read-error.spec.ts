import { readError } from './read-error';

const nowMs = Date.parse('2026-03-01T12:00:00Z');

function read(status: number, body: string, headers: Record<string, string> = {}) {
  return readError(status, headers, Buffer.from(body), 'Acme', nowMs);
}

const openai = (message: string, type: string | null, code: string | null) =>
  JSON.stringify({ error: { message, type, param: null, code } });

it.each([
  [400, 'caller'],
  [401, 'ours'],
  [402, 'ours'],
  [403, 'ours'],
  [404, 'ours'],
  [405, 'ours'],
  [408, 'retryable'],
  [409, 'retryable'],
  [413, 'caller'],
  [422, 'caller'],
  [425, 'retryable'],
  [429, 'retryable'],
  [500, 'retryable'],
  [502, 'retryable'],
  [503, 'retryable'],
  [504, 'retryable'],
  [529, 'retryable'],
  [307, 'ours'],
] as const)('a %i is the fault: %s', (status, fault) => {
  for (const body of [
    '',
    '<html><title>Error</title></html>',
    'plain text',
    openai('m', 't', null),
    '{"detail":"x"}',
    '[]',
    '{',
  ]) {
    expect(read(status, body).fault).toBe(fault);
  }
});

it('tells the caller what the provider said of the request', () => {
  const body = openai(
    "This model's maximum context length is 8192 tokens.",
    'invalid_request_error',
    'context_length_exceeded',
  );
  expect(read(400, body)).toEqual({
    fault: 'caller',
    code: 'context_length_exceeded',
    message: "This model's maximum context length is 8192 tokens.",
    retryAfterS: null,
  });
});

it.each([
  ['{"message":"bad"}', 'bad'],
  ['{"detail":"bad"}', 'bad'],
  ['{"error":"bad"}', 'bad'],
  ['[{"error":{"code":400,"message":"bad","status":"INVALID_ARGUMENT"}}]', 'bad'],
  ['bad', 'bad'],
])('reads the text of %s', (body, text) => expect(read(400, body).message).toBe(`${text}`));

it('says nothing of a page or an empty body', () => {
  expect(read(400, '<!DOCTYPE html><p>nginx').message).toBe('Acme refused the request (400)');
  expect(read(422, '').message).toBe('Acme refused the request (422)');
});

it('keeps our own troubles to itself', () => {
  const body = openai(
    'Incorrect API key provided: sk-proj-ab****yz12. Find your key at …',
    'invalid_request_error',
    'invalid_api_key',
  );
  expect(read(401, body)).toEqual({
    fault: 'ours',
    code: 'invalid_api_key',
    message: 'Acme answered 401',
    retryAfterS: null,
    detail: 'Incorrect API key provided: [redacted] Find your key at …',
  });
  expect(
    read(429, openai('Rate limit reached in organization org-abc123', 'tokens', 'rate_limit_exceeded')).message,
  ).toBe('Acme answered 429');
});

it('does not try an empty account again, nor blames the caller for a wrong key', () => {
  expect(read(429, openai('You exceeded your current quota', 'insufficient_quota', 'insufficient_quota')).fault).toBe(
    'ours',
  );
  expect(
    read(
      400,
      '[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}]',
    ).fault,
  ).toBe('ours');
});

it.each([
  'sk-proj-abcdefghijklmnop',
  'sk-ab****wxyz',
  'gsk_0123456789abcdef',
  'AIzaSyA1234567890abcdefg',
  'xai-abcdefgh12345678',
  'org-9f8e7d6c5b4a',
  'Bearer abc.def.ghi',
  'a1b2c3d4e5f6a7b8c9d0e1f2a3b4c5d6',
  '0198c3f2-8b1a-7c55-9d2e-5f4a3b2c1d0e',
  'aZ3-kq9Xw2Lm8Tr5Yb1Nc7Vd4-Gh6Jf0Ps_aa',
])('never passes on what looks like a key or an account: %s', (secret) => {
  const { message } = read(400, openai(`Bad request with ${secret} in it`, null, null));
  expect(message).not.toContain(secret.slice(-6));
  expect(message).toBe('Bad request with [redacted] in it');
});

it.each([
  'interleaved-thinking-2025-05-14',
  'context-management-2025-06-27-preview-x',
  'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
])('passes on the names of betas and models: %s', (name) => {
  expect(read(400, openai(`Unknown: ${name}\nin it`, null, null)).message).toBe(`Unknown: ${name}\nin it`);
});

it.each([
  [
    '{"detail":[{"type":"missing","loc":["body","messages",0,"content"],"msg":"Field required"}]}',
    'messages.0.content: Field required',
  ],
  [
    '{"object":"error","message":{"detail":[{"loc":["body","n"],"msg":"Extra inputs are not permitted"},{"loc":["body","seed"],"msg":"Bad"}]}}',
    'n: Extra inputs are not permitted; seed: Bad',
  ],
])('reads a list of what is wrong: %s', (body, message) => {
  expect(read(422, body)).toMatchObject({ fault: 'caller', message });
});

it.each(['DeepSeek-R1-Distill-Qwen-32B-abliterated', 'llama3-2-vision-11b-instruct-q4_K_M-latest'])(
  'tells the name of a model, however long it is: %s',
  (name) => {
    expect(read(400, openai(`no model ${name}`, null, null)).message).toContain(name);
  },
);

it('does not let a text be a code, or a text be endless', () => {
  expect(read(400, openai('x'.repeat(5_000), 'a type with spaces', '400')).code).toBe('http_400');
  expect(read(400, openai('word '.repeat(5_000), null, null)).message.length).toBeLessThan(1_100);
});

it.each([
  [{ 'retry-after': '7' }, 7],
  [{ 'retry-after': '0.5' }, 1],
  [{ 'retry-after': 'Sun, 01 Mar 2026 12:00:30 GMT' }, 30],
  [{ 'retry-after': 'Sun, 01 Mar 2026 11:00:00 GMT' }, 0],
  [{ 'retry-after': 'soon' }, null],
  [{ 'retry-after': '-5' }, null],
  [{ 'retry-after': '99999999' }, 86_400],
  [{ 'retry-after-ms': '1500', 'retry-after': '9' }, 2],
  [{}, null],
])('reads the time to wait from %j', (headers, seconds) => expect(read(429, '', headers).retryAfterS).toBe(seconds));
