import { createApiKey } from '@tollgate/contracts';
import { EdgeRig } from '../testing/edge-rig';
import { rawRequest } from '../testing/raw-request';

let rig: EdgeRig;
let apiKey: string;
beforeAll(async () => {
  rig = await EdgeRig.start();
  apiKey = rig.accounts.create();
});
afterAll(() => rig.stop());

/** Stands in every entry, so that an echo is seen. */
const mark = 'zqxcanaryzqx';
const basic = Buffer.from(`${mark}:${mark}`).toString('base64');
const other = createApiKey('tg');
const token = (claims: object) =>
  ['{"alg":"none"}', JSON.stringify(claims), ''].map((part) => Buffer.from(part).toString('base64url')).join('.');

/** Whole header lines, in Latin-1, as a stranger may send them. `{key}` is a key that works. */
const corpus: string[] = [
  // Injections
  `Authorization: Bearer ${mark}' OR '1'='1`,
  `Authorization: Bearer ${mark}'; DROP TABLE api_key; --`,
  `Authorization: Bearer ' UNION SELECT digest FROM api_key WHERE display LIKE '%${mark}%' --`,
  `Authorization: Bearer ${mark}" OR ""="`,
  `Authorization: Bearer ${mark}\\'; SELECT pg_sleep(5); --`,
  `Authorization: Bearer {"$ne":"${mark}"}`,
  `Authorization: Bearer {"$gt":""}${mark}`,
  `Authorization: Bearer ${mark}*)(uid=*))(|(uid=*`,
  `Authorization: Bearer \${jndi:ldap://127.0.0.1/${mark}}`,
  `Authorization: Bearer {{7*7}}${mark}`,
  `Authorization: Bearer <script>alert("${mark}")</script>`,
  `Authorization: Bearer $(touch /tmp/${mark})`,
  `Authorization: Bearer \`id\`${mark}`,
  `Authorization: Bearer ../../../../etc/passwd${mark}`,
  `Authorization: Bearer %00${mark}%0d%0aX-Injected:1`,
  `Authorization: Bearer ${mark}%s%s%s%n%n%n`,
  `Authorization: Bearer accounts.keys.create.${mark}.>`,
  // Shapes of the header
  `Authorization: ${mark}`,
  `Authorization:`,
  `Authorization: Bearer`,
  `Authorization: Bearer ${' '.repeat(500)}`,
  `Authorization: Bearer  ${mark} ${mark}`,
  `Authorization: Bearer ${mark}, Bearer ${mark}`,
  `Authorization: Bearer Bearer ${mark}`,
  `Authorization: Bearer:{key}${mark}`,
  `Authorization: Bearer={key}`,
  `Authorization: Bearer "{key}"`,
  `Authorization: Bearer '{key}'`,
  `Authorization: Bearer <{key}>`,
  `Authorization: Bearer [{key}]`,
  `Authorization: Bearer {key},{key}`,
  `Authorization: Bearer {key} {key}`,
  `Authorization: Bearer {key};${mark}`,
  `Authorization: Bearer {key}\x00`,
  `Authorization: Bearer {key}\x01`,
  `Authorization: Bearer {key}\xa0`,
  `Authorization: Bearer \xef\xbb\xbf{key}`,
  `Authorization: Bearer\x0b{key}`,
  `Authorization: Bearer\xa0{key}`,
  `Authorization: {key}`,
  `Authorization: token {key}`,
  `Authorization: Basic ${basic}`,
  `Authorization: Basic {key}`,
  `Authorization: Digest username="${mark}", realm="x", nonce="x", uri="/", response="x"`,
  `Authorization: Negotiate ${basic}`,
  `Authorization: AWS4-HMAC-SHA256 Credential=${mark}/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0`,
  `Authorization: Bearer ${token({ sub: mark, role: 'administrator' })}`,
  // Almost a key
  `Authorization: Bearer {key}x`,
  `Authorization: Bearer x{key}`,
  `Authorization: Bearer {KEY}`,
  `Authorization: Bearer {key-1}`,
  `Authorization: Bearer {yek}`,
  `Authorization: Bearer tg_sk_${'0'.repeat(30)}_${'0'.repeat(6)}`,
  `Authorization: Bearer tg_sk_${mark}`,
  `Authorization: Bearer ${other}`,
  `Authorization: Bearer sk-proj-${mark}${'a'.repeat(40)}`,
  `Authorization: Bearer null`,
  `Authorization: Bearer undefined`,
  `Authorization: Bearer true`,
  `Authorization: Bearer 0`,
  `Authorization: Bearer __proto__`,
  `Authorization: Bearer constructor`,
  `Authorization: Bearer [object Object]`,
  // Sizes and bytes
  `Authorization: Bearer ${mark}${'a'.repeat(4_000)}`,
  `Authorization: Bearer ${mark}${'a'.repeat(65_536)}`,
  `Authorization: ${'Bearer '.repeat(1_000)}${mark}`,
  `Authorization: Bearer \xff\xfe${mark}`,
  `Authorization: Bearer \xf0\x9f\x94\x91${mark}`,
  `Authorization: Bearer ${mark}\x7f`,
  `Authorization: Bearer ${mark}\tX-Injected: 1`,
  `Authorization: Bearer ${mark}\rX-Injected: 1`,
  `Authorization: Bearer ${mark}\nX-Injected: 1`,
  `Authorization: Bearer ${mark}\r\n X-Folded: {key}`,
  `Authorization : Bearer {key}`,
  // Another header instead, or two
  `Authorization: Bearer ${mark}\r\nAuthorization: Bearer {key}`,
  `Authorization: Bearer ${mark}\r\nX-Api-Key: {key}`,
  `X-Api-Key: ${mark}\r\nX-Api-Key: {key}`,
  `X-Api-Key: Bearer {key}`,
  `X-Api-Key: {key} `.concat(mark),
  `Proxy-Authorization: Bearer {key}`,
  `X-Authorization: Bearer {key}`,
  `Cookie: authorization={key}; key={key}`,
  `X-Forwarded-Authorization: Bearer {key}`,
  `X-Original-Authorization: Bearer {key}${mark}`,
];

function filledIn(line: string): string {
  return line
    .replaceAll('{key}', apiKey)
    .replaceAll('{KEY}', apiKey.toUpperCase())
    .replaceAll('{key-1}', apiKey.slice(0, -1))
    .replaceAll('{yek}', [...apiKey].reverse().join(''));
}

it('is long enough', () => expect(new Set(corpus).size).toBeGreaterThanOrEqual(60));

it.each(corpus)('never lets anybody in, never fails, never repeats: %j', async (line) => {
  for (const path of ['/v1/models', '/v1/usage', '/api/metrics']) {
    const request = `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${filledIn(line)}\r\n\r\n`;
    const { statuses, text } = await rawRequest(rig.port, request);
    expect(statuses.map((status) => [path, status])).toEqual([[path, expect.anything()]]);
    for (const status of statuses) expect([400, 401, 431]).toContain(status);
    for (const secret of [mark, apiKey, apiKey.slice(6, 30), 'X-Injected', 'X-Folded'])
      expect(text).not.toContain(secret);
    expect(text).toContain('"error":{"message":');
  }
});

it('asks accounts about the one entry that has the form of a key, and nothing else', async () => {
  expect(rig.accounts.lookups).toBeLessThanOrEqual(3);
  const accepted = `GET /v1/models HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${apiKey}\r\n\r\n`;
  expect((await rawRequest(rig.port, accepted)).statuses).toEqual([200]);
});
