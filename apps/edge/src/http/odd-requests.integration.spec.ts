import { EdgeRig, question } from '../testing/edge-rig';
import { rawRequest } from '../testing/raw-request';

let rig: EdgeRig;
let apiKey: string;
beforeAll(async () => {
  rig = await EdgeRig.start();
  apiKey = rig.accounts.create();
});
afterAll(() => rig.stop());

const body = JSON.stringify(question);
const request = (target: string, ...lines: string[]) =>
  [`POST ${target} HTTP/1.1`, `Authorization: Bearer ${apiKey}`, 'Content-Type: application/json', ...lines].join(
    '\r\n',
  ) + `\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

it('serves a request with an expectation that it does not know', async () => {
  const { statuses, text } = await rawRequest(rig.port, request('/v1/chat/completions', 'Host: x', 'Expect: a-reply'));
  expect(statuses).toEqual([200]);
  expect(text).toContain('x-request-id: ');
});

it.each([
  ['/v1/chat/completions', {}],
  ['/v1/messages', { type: 'error', request_id: expect.any(String) }],
])('says what is missing of a request to %s without a host, and closes the connection', async (target, outer) => {
  const { statuses, text } = await rawRequest(rig.port, request(target));
  expect(statuses).toEqual([400]);
  expect(JSON.parse(text.slice(text.indexOf('{')))).toEqual({
    ...outer,
    error: { message: expect.stringContaining('Host'), type: 'invalid_request_error', code: 400 },
  });
  expect(text.toLowerCase()).toContain('connection: close');
  expect(text).toContain('x-request-id: ');
});
