import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
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
  const { statuses, text: told } = await rawRequest(
    rig.port,
    request('/v1/chat/completions', 'Host: x', 'Expect: a-reply'),
  );
  expect(statuses).toEqual([200]);
  expect(told).toContain('x-request-id: ');
});

it.each(['100-continue', '100-continue, a-reply', 'a-reply, 100-Continue'])(
  'tells to go on where that is among what %j expects',
  async (expected) => {
    const { statuses } = await rawRequest(rig.port, request('/v1/chat/completions', 'Host: x', `Expect: ${expected}`));
    expect(statuses).toEqual([100, 200]);
  },
);

it('knows no expectation and needs no host in a request of HTTP/1.0', async () => {
  const old = request('/v1/chat/completions', 'Expect: 100-continue').replace('HTTP/1.1', 'HTTP/1.0');
  expect((await rawRequest(rig.port, old)).statuses).toEqual([200]);
});

it('serves a request with a host that is empty, as of an address without one', async () => {
  expect((await rawRequest(rig.port, request('/v1/chat/completions', 'Host:'))).statuses).toEqual([200]);
});

it('serves a whole address in the place of a path, which needs a host as well', async () => {
  const whole = 'http://x/v1/chat/completions';
  expect((await rawRequest(rig.port, request(whole, 'Host: x'))).statuses).toEqual([200]);
  expect((await rawRequest(rig.port, request(whole))).statuses).toEqual([400]);
});

it.each(['Host: x', 'HOST: y', 'Host:'])('refuses a request with the host x and a second one, %j', async (second) => {
  for (const asked of [request('/v1/models', 'Host: x', second), request('/v1/messages', 'Host: x', second)]) {
    const { statuses, text: told } = await rawRequest(rig.port, asked);
    expect(statuses).toEqual([400]);
    expect(told).toContain('The header Host is there more than once');
  }
});

it.each([[], ['Host: x', 'Host: y']])('opens no WebSocket to one with the hosts %j', async (...hosts) => {
  const wish = [
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    `Sec-WebSocket-Key: ${'A'.repeat(22)}==`,
  ];
  const lines = ['GET /v1/responses HTTP/1.1', `Authorization: Bearer ${apiKey}`, ...hosts, ...wish];
  const { statuses, text: told } = await rawRequest(rig.port, `${lines.join('\r\n')}\r\n\r\n`);
  expect(statuses).toEqual([400]);
  expect(told).toContain('The header Host is');
});

it('says the same of requests that the framework answers, and begins none behind one without a host', async () => {
  const { statuses, text: told } = await rawRequest(
    rig.port,
    `GET /v1/models HTTP/1.1\r\n\r\n${request('/v1/models')}`,
  );
  expect(statuses).toEqual([400]);
  expect(told).toContain('Host');
});

it('lets those who read nothing before they have written a large body read what their host is for', async () => {
  const most = 8 * 1024 * 1024;
  const head = request('/v1/chat/completions').replace(/Content-Length[^]*/, `Content-Length: ${most}`);
  const socket = connect(rig.port, '127.0.0.1').pause();
  await new Promise<void>((resolve, reject) => {
    socket.on('error', reject);
    socket.write(`${head}\r\n\r\n${'x'.repeat(most)}`, (error) => (error ? reject(error) : resolve()));
  });
  expect(await text(socket)).toContain('The header Host is missing');
});

it.each([
  ['/v1/chat/completions', {}],
  ['/v1/messages', { type: 'error', request_id: expect.any(String) }],
])('says what is missing of a request to %s without a host, and closes the connection', async (target, outer) => {
  const { statuses, text: told } = await rawRequest(rig.port, request(target));
  expect(statuses).toEqual([400]);
  expect(JSON.parse(told.slice(told.indexOf('{')))).toEqual({
    ...outer,
    error: { message: expect.stringContaining('Host'), type: 'invalid_request_error', code: 400 },
  });
  expect(told.toLowerCase()).toContain('connection: close');
  expect(told).toContain('x-request-id: ');
});
