import {
  answerJson,
  eventually,
  goodChat,
  startScriptedUpstream,
  type ScriptedUpstream,
  type UpstreamScript,
  type UpstreamVisit,
} from '@tollgate/testing';
import { aRequest } from '../testing/fixtures';
import { RecordedCall } from '../testing/recorded-call';
import { ScriptedRun, secretOf } from '../testing/scripted-run';

const second = 'canary-second-key';
const limits = '{"error":{"message":"Rate limit reached on requests per min (RPM): Limit 60, Used 60."}}';

describe('a provider with several keys', () => {
  let acme: ScriptedUpstream;
  let now = 1_000;
  /** What the provider says to each key; absent: it answers. */
  let says: Record<string, UpstreamScript> = {};

  beforeEach(async () => {
    now = 1_000;
    says = {};
    acme = await startScriptedUpstream((visit) => {
      const key = String(visit.headers.authorization).replace('Bearer ', '');
      return (says[key] ?? goodChat())(visit);
    });
  });

  afterEach(() => acme.stop());

  const withKeys = (keys: readonly string[] = [second]) =>
    new ScriptedRun([`${acme.url}/v1`], { moreKeys: keys, clock: () => now, retries: 0 });
  const keysAsked = () => acme.visits.map(({ headers }) => String(headers.authorization).replace('Bearer ', ''));

  /** Lets the key that this caller is served with be refused, and returns it with the other. */
  async function refuseOwn(run: ScriptedRun, refusal: UpstreamScript): Promise<[string, string]> {
    await run.run();
    const [own = ''] = keysAsked();
    says = { [own]: refusal };
    return [own, own === second ? secretOf('acme') : second];
  }

  const served = (call: RecordedCall) => {
    expect(call.failures).toEqual([]);
    return call.event.attempts.map(({ status }) => status);
  };

  it('serves with the next one what the first is refused for its limits, at once, and lets that rest', async () => {
    const run = withKeys();
    const [own, other] = await refuseOwn(run, (visit) => answerJson(visit, 429, limits, { 'retry-after': '30' }));
    expect(served(await run.run())).toEqual([429, 200]);
    expect(served(await run.run())).toEqual([200]);
    expect(keysAsked()).toEqual([own, own, other, other]);
    // The place is well for everybody.
    expect(run.gate.report()).toMatchObject([{ state: 'closed', timesOpened: 0 }]);
    expect(run.keys.report()).toMatchObject([{ provider: 'acme', status: 429, restsForMs: 30_000 }]);
    now += 30_000;
    says = {};
    expect(served(await run.run())).toEqual([200]);
    expect(keysAsked().at(-1)).toBe(own);
    await run.pools.close();
  });

  it('goes on when a key is revoked, and says in its log which; keys are in no log and no answer', async () => {
    const run = withKeys();
    const echo: UpstreamScript = (visit) => answerJson(visit, 401, `{"error":{"message":"wrong: ${keysAsked()[0]}"}}`);
    await refuseOwn(run, echo);
    const call = await run.run();
    expect(served(call)).toEqual([401, 200]);
    expect(run.logs.join('')).toMatch(/"key":[12]\D.*a key of the provider was refused and rests/);
    expect(JSON.stringify([run.logs, call.events, call.text, run.keys.report()])).not.toContain('canary');
    await run.pools.close();
  });

  it('says once in its log that a key rests, however often it is asked while all do', async () => {
    const run = withKeys();
    for (const key of [secretOf('acme'), second])
      says[key] = (visit) => answerJson(visit, 401, '{"error":{"message":"wrong"}}');
    for (let turn = 0; turn < 3; turn++) await run.run();
    expect(acme.visits).toHaveLength(4);
    const lines = run.logs.join('').match(/a key of the provider was refused and rests/g);
    expect(lines).toHaveLength(2);
    expect(run.logs.join('')).toMatch(/"restsMs":60000\D/);
    await run.pools.close();
  });

  it('asks each key once, and the last refusal speaks for all', async () => {
    const run = withKeys([second, 'canary-third-key']);
    for (const key of [secretOf('acme'), second, 'canary-third-key'])
      says[key] = (visit) => answerJson(visit, 429, limits, { 'retry-after': '20' });
    const call = await run.run();
    expect(new Set(keysAsked()).size).toBe(3);
    expect(acme.visits).toHaveLength(3);
    expect(call.failures).toMatchObject([{ status: 503 }]);
    expect(call.event.attempts.map(({ status }) => status)).toEqual([429, 429, 429]);
    await run.pools.close();
  });

  it.each([
    ['a limit with the provider’s time', 429, limits, 45, 45],
    ['a limit without one', 429, limits, null, 5],
    ['no credit', 402, '{"error":{"message":"Insufficient balance"}}', null, 60],
    ['a key that is wrong', 401, '{"error":{"message":"wrong"}}', null, 60],
    ['a time beyond what clients wait', 429, limits, 500, 60],
  ])('tells when the first key is asked again while all rest: %s', async (_, status, body, askedS, toldS) => {
    const run = withKeys();
    const headers: Record<string, string> = askedS === null ? {} : { 'retry-after': String(askedS) };
    const refuse: UpstreamScript = (visit) => answerJson(visit, status, body, headers);
    says = { [secretOf('acme')]: refuse, [second]: refuse };
    for (let turn = 0; turn < 6; turn++) {
      const { failures } = await run.run();
      expect(failures).toMatchObject([{ retryAfterS: toldS }]);
    }
    now += 2_000;
    const left = Math.min(60, Math.ceil(Math.min(...run.keys.report().map(({ restsForMs }) => restsForMs)) / 1_000));
    expect(await run.run()).toMatchObject({ failures: [{ retryAfterS: left }] });
    await run.pools.close();
  });

  it('tells the time of the key that is awake first, and none of theirs where another place has none at rest', async () => {
    const run = withKeys();
    says = {
      [secretOf('acme')]: (visit) => answerJson(visit, 429, limits, { 'retry-after': '20' }),
      [second]: (visit) => answerJson(visit, 429, limits, { 'retry-after': '50' }),
    };
    expect((await run.run()).failures).toMatchObject([{ retryAfterS: 20 }]);
    await run.pools.close();
    const broken = await startScriptedUpstream((visit) => answerJson(visit, 500, '{"error":{"message":"boom"}}'));
    const two = new ScriptedRun([`${acme.url}/v1`, `${broken.url}/v1`], { moreKeys: [second], retries: 0 });
    expect((await two.run()).failures).toMatchObject([{ status: 502, retryAfterS: null }]);
    await Promise.all([two.pools.close(), broken.stop()]);
  });

  it('gives no key what another one has sealed: they may be of different accounts', async () => {
    const sealed = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'c2VhbA==' };
    const answer = { id: 'resp_1', object: 'response', status: 'completed', model: 'one', output: [sealed] };
    const visits = () => acme.visits.map(({ body }) => JSON.parse(body.toString()) as { input: object[] });
    acme.script = (visit) => answerJson(visit, 200, JSON.stringify(answer));
    const run = new ScriptedRun([`${acme.url}/v1`], {
      moreKeys: [second],
      clock: () => now,
      dialect: 'openai-responses',
    });
    const ask = async (input: object[]) => {
      const body = Buffer.from(JSON.stringify({ model: 'one', input }));
      const call = await run.handle(new RecordedCall(aRequest({ surface: 'openai-responses' }), body));
      expect(call.failures).toEqual([]);
      return (JSON.parse(call.text) as { output: object[] }).output;
    };
    const said = await ask([{ role: 'user', content: 'Hi' }]);
    const [own] = keysAsked();
    expect(JSON.stringify(said)).toMatch(
      own === second ? /"tollgate@acme-[0-9a-f]{8}:c2VhbA==/ : /"tollgate@acme:c2VhbA==/,
    );
    const further = [{ role: 'user', content: 'Hi' }, ...said, { role: 'user', content: 'And?' }];
    await ask(further);
    expect(visits()[1]?.input[1]).toMatchObject({ encrypted_content: 'c2VhbA==' });
    acme.script = (visit) =>
      keysAsked().at(-1) === own
        ? answerJson(visit, 429, limits, { 'retry-after': '30' })
        : answerJson(visit, 200, JSON.stringify(answer));
    await ask(further);
    expect(keysAsked().at(-1)).not.toBe(own);
    expect(JSON.stringify(visits().at(-1))).not.toContain('c2VhbA==');
    await run.pools.close();
  });

  it('asks the next key also where the request had to wait for its place, and others wait behind it', async () => {
    const deployments = [{ id: 'one', provider: 'acme', upstreamModel: 'one', maxConcurrent: 1 }];
    const run = new ScriptedRun([`${acme.url}/v1`], {
      ...{ moreKeys: [second], clock: () => now, retries: 0 },
      model: { deployments },
    });
    const asked: UpstreamVisit[] = [];
    acme.script = (visit) => void asked.push(visit);
    const [first, refused, behind] = [run.run(), run.run(), run.run()];
    const waiting = () => run.gate.report()[0]?.waiting;
    await eventually(() => asked.length === 1 && waiting() === 2);
    await goodChat()(await acme.visited(1));
    answerJson(await acme.visited(2), 429, limits, { 'retry-after': '30' });
    const last = await acme.visited(3);
    await Promise.race([refused, eventually(() => waiting() === 1)]);
    acme.script = goodChat();
    await goodChat()(last);
    expect([await first, await refused, await behind].map(served)).toEqual([[200], [429, 200], [200]]);
    await run.pools.close();
  });

  it('asks the key that a large request was translated for, though its own awoke meanwhile', async () => {
    const run = withKeys();
    const [own, other] = await refuseOwn(run, (visit) => answerJson(visit, 429, limits, { 'retry-after': '30' }));
    await run.run();
    says = {};
    const translate = run.threads.translate.bind(run.threads);
    jest.spyOn(run.threads, 'translate').mockImplementation(async (...job) => {
      const translated = await translate(...job);
      now += 30_000;
      return translated;
    });
    const messages = [{ role: 'user', content: 'word after word '.repeat(100_000) }];
    const body = Buffer.from(JSON.stringify({ model: 'one', max_tokens: 100, messages }));
    served(await run.handle(new RecordedCall(aRequest({ surface: 'anthropic-messages' }), body)));
    expect(run.threads.translate).toHaveBeenCalledTimes(1);
    expect(keysAsked().slice(1)).toEqual([own, other, other]);
    await run.threads.close();
    await run.pools.close();
  });

  it('does not ask another key about what is wrong with the place or the request', async () => {
    const run = withKeys();
    await refuseOwn(run, (visit) => answerJson(visit, 500, '{"error":{"message":"boom"}}'));
    expect((await run.run()).failures).toMatchObject([{ status: 502 }]);
    says = { [keysAsked()[0] ?? '']: (visit) => answerJson(visit, 400, '{"error":{"message":"no"}}') };
    expect((await run.run()).failures).toMatchObject([{ status: 400 }]);
    expect(acme.visits).toHaveLength(3);
    expect(run.keys.report()).toEqual([]);
    await run.pools.close();
  });
});

describe('a conversation that was compacted at a provider with several keys', () => {
  const item = { type: 'compaction', id: 'cmp_1', encrypted_content: 'c2VhbA==' };
  const answer = { id: 'resp_1', object: 'response', status: 'completed', model: 'one', output: [item] };
  const mine = secretOf('acme');
  let acme: ScriptedUpstream;
  let run: ScriptedRun;
  /** Callers whose own key is the first, and the second. */
  let callers: Record<string, string> = {};

  beforeEach(async () => {
    acme = await startScriptedUpstream((visit) => answerJson(visit, 200, JSON.stringify(answer)));
    run = new ScriptedRun([`${acme.url}/v1`], {
      ...{ moreKeys: [second], retries: 0, dialect: 'openai-responses' },
      provider: { quirks: { compacts: true } },
    });
    callers = {};
    for (let id = 1; Object.keys(callers).length < 2; id += 1) {
      await ask(`caller-${id}`, [{ role: 'user', content: 'Hi' }]);
      callers[lastKey()] = `caller-${id}`;
    }
  });

  afterEach(async () => {
    await run.pools.close();
    await acme.stop();
  });

  const lastKey = () => String(acme.visits.at(-1)?.headers.authorization).replace('Bearer ', '');
  const lastInput = () => (JSON.parse(String(acme.visits.at(-1)?.body)) as { input: unknown[] }).input;
  const ask = (keyId = '', input: object[] = [], kind?: 'compact' | 'count_tokens') => {
    const asked = aRequest({ surface: 'openai-responses', keyId, ...(kind && { kind }) });
    return run.handle(new RecordedCall(asked, Buffer.from(JSON.stringify({ model: 'one', input }))));
  };
  const compacted = async (keyId: string | undefined): Promise<object[]> => {
    const { failures, text } = await ask(keyId, [{ role: 'user', content: 'Hi' }], 'compact');
    expect(failures).toEqual([]);
    return (JSON.parse(text) as { output: object[] }).output;
  };

  it('goes on at the key that compacted it', async () => {
    const conversation = await compacted(callers[second]);
    expect([acme.visits.at(-1)?.path, lastKey()]).toEqual(['/v1/responses/compact', second]);
    expect(JSON.stringify(conversation)).toMatch(/"tollgate@acme-[0-9a-f]+:c2VhbA=="/);
    for (const kind of [undefined, 'compact'] as const) {
      expect((await ask(callers[second], conversation, kind)).failures).toEqual([]);
      expect([lastKey(), lastInput()]).toEqual([second, [item]]);
    }
  });

  it.each([undefined, 'compact', 'count_tokens'] as const)(
    'goes to that key, too, where its caller has another one by now (%s)',
    async (kind) => {
      for (const [key, other] of [
        [mine, second],
        [second, mine],
      ] as const) {
        const conversation = await compacted(callers[key]);
        expect((await ask(callers[other], conversation, kind)).failures).toEqual([]);
        expect([lastKey(), lastInput()]).toEqual([key, [item]]);
      }
    },
  );

  it('asks that key alone, and once, when it is refused, and nobody where that key is gone', async () => {
    const conversation = await compacted(callers[mine]);
    const before = acme.visits.length;
    acme.script = (visit) => answerJson(visit, 429, limits, { 'retry-after': '30' });
    const refused = await ask(callers[mine], conversation);
    expect(refused.failures).toMatchObject([{ status: 503 }]);
    expect(acme.visits.slice(before).map(({ headers }) => headers.authorization)).toEqual([`Bearer ${mine}`]);
    const strange = [{ ...item, encrypted_content: 'tollgate@acme-00000000:c2VhbA==' }];
    expect((await ask(callers[second], strange)).failures).toMatchObject([{ status: 400 }]);
    expect(acme.visits).toHaveLength(before + 1);
  });
});
