import { once } from 'node:events';
import { Agent, request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { EdgeRig, question } from '../testing/edge-rig';

let rig: EdgeRig;
let agent: Agent;
beforeAll(async () => {
  rig = await EdgeRig.start();
  agent = new Agent({ keepAlive: true, maxSockets: 1 });
});
afterAll(async () => {
  agent.destroy();
  await rig.stop();
});

/** A request over the one connection, as a proxy has it for all; its body in pieces where it has no length. */
async function ask(authorization: string, body: string, hasLength = true): Promise<IncomingMessage> {
  const length = hasLength ? { 'content-length': body.length } : {};
  const headers = { authorization: `Bearer ${authorization}`, 'content-type': 'application/json', ...length };
  const asked = request({ port: rig.port, path: '/v1/chat/completions', method: 'POST', agent, headers });
  if (!hasLength) asked.write('');
  asked.end(body);
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  answer.resume();
  await once(answer, 'end');
  return answer;
}

const large = JSON.stringify({ ...question, filling: 'x'.repeat(8 * 1024 * 1024) });
const small = JSON.stringify(question);

it.each([
  ['a length', true],
  ['pieces', false],
])('nobody asks behind a large body of %s that was refused before it had come', async (_what, hasLength) => {
  const answer = await ask('not a key', large, hasLength);
  expect([answer.statusCode, answer.headers.connection]).toEqual([401, 'close']);
});

it('a small body that was refused leaves its connection to others', async () => {
  const answer = await ask('not a key', small);
  expect([answer.statusCode, answer.headers.connection]).toEqual([401, 'keep-alive']);
});

it('a large body that was read does, too', async () => {
  const answer = await ask(rig.accounts.create(), large);
  expect([answer.statusCode, answer.headers.connection]).toEqual([200, 'keep-alive']);
});

it('so does one that was refused when all of it had come', async () => {
  const key = rig.accounts.create();
  const answer = await ask(key, large.slice(0, -1));
  expect([answer.statusCode, answer.headers.connection]).toEqual([400, 'keep-alive']);
});

it('a body larger than any may be ends its connection', async () => {
  const asked = request({
    ...{ port: rig.port, path: '/v1/chat/completions', method: 'POST', agent },
    headers: {
      ...{ authorization: `Bearer ${rig.accounts.create()}`, 'content-type': 'application/json' },
      'content-length': 1024 * 1024 * 1024,
    },
  });
  asked.on('error', () => undefined).flushHeaders();
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  expect([answer.statusCode, answer.headers.connection]).toEqual([413, 'close']);
  asked.destroy();
});
