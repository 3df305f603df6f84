import { EdgeRig, eventually, question } from '../testing/edge-rig';
import { rawRequest } from '../testing/raw-request';

let rig: EdgeRig;
let apiKey: string;
beforeAll(async () => {
  rig = await EdgeRig.start();
  apiKey = rig.accounts.create();
});
afterAll(() => rig.stop());

const body = JSON.stringify(question);
/** A second request, hidden in the body of a first: it must never be answered as one of its own. */
const hidden = () => `GET /v1/usage HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${apiKey}\r\n\r\n`;
const head = (lines: string[]) =>
  ['POST /v1/chat/completions HTTP/1.1', 'Host: x', `Authorization: Bearer ${apiKey}`, ...lines, '', ''].join('\r\n');

const smuggled: [string, () => string][] = [
  ['two lengths', () => `${head(['Content-Length: 6', 'Content-Length: 200'])}{"a":1${hidden()}`],
  ['two equal lengths', () => `${head(['Content-Length: 6', 'Content-Length: 6'])}{"a":1${hidden()}`],
  ['a list of lengths', () => `${head(['Content-Length: 6, 200'])}{"a":1${hidden()}`],
  ['length and chunks', () => `${head(['Content-Length: 5', 'Transfer-Encoding: chunked'])}0\r\n\r\n${hidden()}`],
  ['chunks and length', () => `${head(['Transfer-Encoding: chunked', 'Content-Length: 5'])}0\r\n\r\n${hidden()}`],
  ['chunks by another name', () => `${head(['Transfer-Encoding: xchunked'])}0\r\n\r\n${hidden()}`],
  ['chunks that are not last', () => `${head(['Transfer-Encoding: chunked, identity'])}0\r\n\r\n${hidden()}`],
  [
    'two transfer encodings',
    () => `${head(['Transfer-Encoding: chunked', 'Transfer-Encoding: identity'])}0\r\n\r\n${hidden()}`,
  ],
  ['a tab before chunked', () => `${head(['Transfer-Encoding:\tchunked', 'Content-Length: 4'])}0\r\n\r\n${hidden()}`],
  [
    'a space before the colon',
    () => `${head(['Transfer-Encoding : chunked', 'Content-Length: 4'])}0\r\n\r\n${hidden()}`,
  ],
  ['a folded line', () => `${head(['Transfer-Encoding:', ' chunked', 'Content-Length: 4'])}0\r\n\r\n${hidden()}`],
  [
    'a folded value',
    () => `${head(['X-Folded: a', '\tTransfer-Encoding: chunked', 'Content-Length: 4'])}0\r\n\r\n${hidden()}`,
  ],
  ['a NUL in a value', () => `${head(['X-Odd: a\0b', 'Content-Length: 0'])}`],
  ['a NUL in a name', () => `${head(['X-O\0dd: a', 'Content-Length: 0'])}`],
  [
    'a lone CR in a value',
    () => `${head(['X-Odd: a\rTransfer-Encoding: chunked', 'Content-Length: 4'])}0\r\n\r\n${hidden()}`,
  ],
  ['a negative length', () => `${head(['Content-Length: -1'])}${hidden()}`],
  ['a signed length', () => `${head(['Content-Length: +6'])}{"a":1${hidden()}`],
  ['a length in hex', () => `${head(['Content-Length: 0x6'])}{"a":1${hidden()}`],
  ['an endless length', () => `${head([`Content-Length: ${'9'.repeat(40)}`])}${hidden()}`],
  ['a chunk size that overflows', () => `${head(['Transfer-Encoding: chunked'])}${'F'.repeat(20)}\r\n${hidden()}`],
  ['a chunk size that is none', () => `${head(['Transfer-Encoding: chunked'])}zz\r\n${hidden()}`],
  ['a header without a colon', () => `${head(['Nonsense', 'Content-Length: 0'])}`],
  ['headers of a megabyte', () => `${head([`X-Large: ${'a'.repeat(1_048_576)}`, 'Content-Length: 0'])}`],
  ['ten thousand headers', () => `${head(Array.from({ length: 10_000 }, (_, index) => `X-${index}: a`))}`],
  ['another version', () => `POST /v1/chat/completions HTTP/3.7\r\nHost: x\r\n\r\n${hidden()}`],
  ['no host', () => `POST /v1/chat/completions HTTP/1.1\r\nContent-Length: 0\r\n\r\n`],
];

it.each(smuggled)('%s: refused, and the connection is closed', async (_what, bytes) => {
  const { statuses, text } = await rawRequest(rig.port, bytes());
  expect(statuses).toHaveLength(1);
  expect(statuses[0]).toBeGreaterThanOrEqual(400);
  expect(statuses[0]).toBeLessThan(500);
  expect(text).not.toContain('"quota"');
  expect(text).not.toContain(apiKey);
  expect(text.toLowerCase()).toContain('connection: close');
});

it('a request over a connection that another was pipelined on is answered for itself', async () => {
  const first = `${head(['Content-Type: application/json', `Content-Length: ${body.length}`])}${body}`;
  const { statuses } = await rawRequest(rig.port, `${first}GET /v1/models HTTP/1.1\r\nHost: x\r\n\r\n`);
  expect(statuses).toEqual([200, 401]);
});

it.each([
  `http://evil.example/v1/models`,
  `https://evil.example:1/v1/models`,
  `//evil.example/v1/models`,
  `/\\evil.example/v1/models`,
  `*`,
  `evil.example:443`,
  `/v1/../v1/models`,
  `/v1/models/%2e%2e%2f%2e%2e%2fapi/me`,
  `/v1/models?${'a'.repeat(8_000)}`,
])('an odd target is an address like any other: %s', async (target) => {
  const asked = (method: string) =>
    rawRequest(
      rig.port,
      `${method} ${target} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${apiKey}\r\nConnection: close\r\n\r\n`,
    );
  for (const method of ['GET', 'OPTIONS', 'CONNECT', 'TRACE', 'PROPFIND']) {
    const { statuses, text } = await asked(method);
    for (const status of statuses) expect([method, status, status < 500]).toEqual([method, status, true]);
    expect(text).not.toContain('evil.example');
    expect(text).not.toContain(apiKey);
  }
  expect(await rawRequest(rig.port, 'GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')).toMatchObject({
    statuses: [200],
  });
});

it('nothing that belongs to a connection, a proxy or a caller reaches inference', async () => {
  const hostile = {
    'x-forwarded-for': '169.254.169.254',
    forwarded: 'for=127.0.0.1',
    cookie: 'session=canary',
    'proxy-authorization': 'Basic canary',
    'x-api-key': 'canary',
    te: 'trailers',
    host: 'evil.example',
    'x-evil': 'canary',
    'openai-organization': 'canary',
    'content-encoding-x': 'canary',
  };
  const before = rig.inference.calls.length;
  const response = await rig.chat(apiKey, question, {
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', ...hostile },
  });
  expect(response.status).toBe(200);
  await eventually(() => rig.inference.calls.length > before);
  expect(rig.inference.calls.slice(before).map(({ request }) => request.headers)).toEqual([{}]);
});
