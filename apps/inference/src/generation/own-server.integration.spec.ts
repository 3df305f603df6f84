import type { TimeLimits } from '@tollgate/contracts/catalog';
import type { GenerationRequest } from '@tollgate/contracts/inference';
import { answerJson, chatChunk, freePort, goodChat, silence, startScriptedUpstream } from '@tollgate/testing';
import type { ScriptedUpstream } from '@tollgate/testing';
import { aRequest } from '../testing/fixtures';
import { RecordedCall } from '../testing/recorded-call';
import { ScriptedRun } from '../testing/scripted-run';

const names = 'The model `one` does not exist. Valid models: Qwen/Qwen3-8B';
let upstream: ScriptedUpstream;
let timeouts: TimeLimits;
beforeEach(async () => {
  timeouts = {};
  upstream = await startScriptedUpstream((visit) =>
    answerJson(visit, 404, JSON.stringify({ error: { message: names, type: 'NotFoundError', code: 404 } })),
  );
});
afterEach(() => upstream.stop());

async function failureAt(url: string, operatorDefined: boolean, asked: Partial<GenerationRequest> = {}) {
  const run = new ScriptedRun([url], { retries: 0, provider: { operatorDefined }, timeouts });
  const { failures } = await run.run(asked);
  return { message: failures[0]?.message, status: failures[0]?.status, log: run.logs.join('') };
}

const keyOfOperator = { operator: true };

describe('what a server of the operator says', () => {
  it('reaches its callers, and the address stands in the log', async () => {
    const { message, log } = await failureAt(upstream.url, true);
    expect(message).toBe(`acme answered 404: ${names}`);
    expect(log).toContain(`"url":"${upstream.url}/chat/completions"`);
    const others = await failureAt(upstream.url, false);
    expect(others.message).toBe('acme answered 404');
    for (const told of [log, others.log]) {
      expect(told).toContain(names);
      expect(told).toContain('"method":"POST"');
    }
  });

  it.each([true, false])('is told without its address where nobody listens (operatorDefined: %s)', async (isOwn) => {
    const url = `http://127.0.0.1:${await freePort()}/v1`;
    const { message, log } = await failureAt(url, isOwn);
    expect(message).toBe(`acme could not be reached${isOwn ? ' (nobody listens there (ECONNREFUSED))' : ''}`);
    expect(log).toContain(`"system":"POST ${url}/chat/completions: nobody listens there (ECONNREFUSED)"`);
  });

  it('is told without its address where it breaks its answer off, which is no matter of http or https', async () => {
    upstream.script = ({ response }) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(chatChunk({ content: 'Hi' }), () => response.destroy());
    };
    const lost = 'acme closed the connection before its answer was complete';
    const { message, log } = await failureAt(upstream.url, true, { stream: true });
    const why = 'the server closed the connection (UND_ERR_SOCKET)';
    expect(message).toBe(`${lost} (${why})`);
    const system = `POST ${upstream.url}/chat/completions: ${why}`;
    expect(log).toContain(`"system":"${system}"`);
    const heard = await failureAt(upstream.url, true, { ...keyOfOperator, stream: true });
    expect(heard.message).toBe(`${lost} (${system})`);
  });

  it('is told with the setting of the limit that passed', async () => {
    upstream.script = silence;
    timeouts = { firstByteMs: 400 };
    const { message, status } = await failureAt(upstream.url, true);
    expect([status, message]).toEqual([
      504,
      'acme did not begin to answer in time (firstByteMs of its timeouts is 400)',
    ]);
  });
});

describe('a key of who runs the gateway hears of every provider', () => {
  it.each([false, true])('where it was asked, and what it said (operatorDefined: %s)', async (operatorDefined) => {
    const wrong = await failureAt(upstream.url, operatorDefined, keyOfOperator);
    expect(wrong.message).toBe(`acme answered 404 (POST ${upstream.url}/chat/completions): ${names}`);
    upstream.script = (visit) => answerJson(visit, 503, '{"error":{"message":"Loading model"}}');
    const busy = await failureAt(upstream.url, operatorDefined, keyOfOperator);
    expect(busy.message).toBe(`acme answered 503 (POST ${upstream.url}/chat/completions): Loading model`);
  });

  it('what the system said where nobody listens', async () => {
    const url = `http://127.0.0.1:${await freePort()}/v1`;
    const { message } = await failureAt(url, false, keyOfOperator);
    expect(message).toBe(
      `acme could not be reached (POST ${url}/chat/completions: nobody listens there (ECONNREFUSED))`,
    );
  });

  it('no more than anybody else of what is wrong with its own request', async () => {
    upstream.script = (visit) => answerJson(visit, 400, '{"error":{"message":"too long"}}');
    expect((await failureAt(upstream.url, false, keyOfOperator)).message).toBe('too long');
  });
});

it.each([false, true])(
  'says in the log of each answer that the sandbox gave it, unless an operator defined the provider (%s)',
  async (operatorDefined) => {
    upstream.script = goodChat();
    const run = new ScriptedRun([`${upstream.url}/v1`], { sandboxUrl: upstream.url, provider: { operatorDefined } });
    for (const stream of [false, true]) await run.run({ stream, requestId: `request-${stream}` });
    const told = run.logs
      .filter((line) => line.includes('simulated answer'))
      .map((line) => JSON.parse(line) as unknown);
    const of = (requestId: string) =>
      expect.objectContaining({ requestId, model: 'acme/one', provider: 'acme' }) as unknown;
    expect(told).toEqual(operatorDefined ? [] : [of('request-false'), of('request-true')]);
  },
);

it('is not given up while one long prompt keeps it busy: who comes meanwhile waits there, and is answered', async () => {
  upstream.script = goodChat();
  let nowMs = 0;
  const provider = { operatorDefined: true, queues: true };
  const run = new ScriptedRun([upstream.url], { retries: 0, provider, clock: () => nowMs });
  const ask = (count: number) =>
    Array.from({ length: count }, (_, index) =>
      run.run({ keyId: `key_${index}`, accountId: `account_${index}`, stream: true }),
    );
  // So that it is known how fast it usually is.
  await Promise.all(ask(12));
  upstream.script = () => undefined;
  const calls = ask(15);
  await upstream.visited(12 + calls.length);
  for (nowMs = 1_000; nowMs <= 31_000; nowMs += 2_500) {
    calls.push(...ask(1));
    await upstream.visited(12 + calls.length);
  }
  for (const visit of upstream.visits.slice(12)) await goodChat()(visit);
  const ends = (await Promise.all(calls)).map(({ event, failures }) => [event.state, failures]);
  expect(ends).toEqual(calls.map(() => ['completed', []]));
});

it.each([
  'input (8008 tokens) is too large to process. increase the physical batch size',
  'image input is not supported - hint: if this is unexpected, you may need to provide the mmproj',
])('tells a caller’s own fault as one, tries it once, and goes on to serve all others: 500 %s', async (words) => {
  upstream.script = (visit) =>
    visit.body.includes('much too much')
      ? answerJson(visit, 500, JSON.stringify({ error: { code: 500, message: words } }))
      : goodChat()(visit);
  const run = new ScriptedRun([upstream.url], {
    provider: { operatorDefined: true, queues: true },
  });
  const ask = (content: string, keyId: string) => {
    const body = { model: 'acme/one', stream: true, messages: [{ role: 'user', content }] };
    return run.handle(new RecordedCall(aRequest({ stream: true, keyId }), Buffer.from(JSON.stringify(body))));
  };
  for (let count = 1; count <= 12; count += 1) {
    const { failures } = await ask('much too much', `key_${count % 4}`);
    expect(failures).toMatchObject([{ status: 400, message: expect.stringContaining(words) as string }]);
    expect(upstream.visits).toHaveLength(count);
  }
  expect((await ask('Hi', 'key_1')).event.state).toBe('completed');
});
