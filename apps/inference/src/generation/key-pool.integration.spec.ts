import {
  answerJson,
  goodChat,
  startScriptedUpstream,
  type ScriptedUpstream,
  type UpstreamScript,
} from '@tollgate/testing';
import { aRequest } from '../testing/fixtures';
import { RecordedCall } from '../testing/recorded-call';
import { ScriptedRun, secretOf } from '../testing/scripted-run';

const second = 'canary-second-key';
/** A busy machine must not look like a provider that does not answer. */
const timeouts = { connectMs: 30_000, firstByteMs: 30_000, idleMs: 30_000, totalMs: 30_000 };
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
    new ScriptedRun([`${acme.url}/v1`], { moreKeys: keys, clock: () => now, retries: 0, timeouts });
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

  it('gives no key what another one has sealed: they may be of different accounts', async () => {
    const sealed = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'c2VhbA==' };
    const answer = { id: 'resp_1', object: 'response', status: 'completed', model: 'one', output: [sealed] };
    const visits = () => acme.visits.map(({ body }) => JSON.parse(body.toString()) as { input: object[] });
    acme.script = (visit) => answerJson(visit, 200, JSON.stringify(answer));
    const run = new ScriptedRun([`${acme.url}/v1`], {
      moreKeys: [second],
      timeouts,
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
