import {
  answerJson,
  eventually,
  goodChat,
  startScriptedUpstream,
  type ScriptedUpstream,
  type UpstreamScript,
} from '@tollgate/testing';
import { aRequest } from '../testing/fixtures';
import { RecordedCall } from '../testing/recorded-call';
import { ScriptedRun, secretOf } from '../testing/scripted-run';

const own = 'canary-own-key-of-the-account';
const wrong =
  '{"error":{"message":"Incorrect API key provided: canary-own-key-of-the-account.","code":"invalid_api_key"}}';
const limits = '{"error":{"message":"Rate limit reached on requests per min (RPM): Limit 60, Used 60."}}';
const empty = '{"error":{"message":"You exceeded your current quota.","code":"insufficient_quota"}}';

describe('a request with a key of its account', () => {
  let acme: ScriptedUpstream;
  let spare: ScriptedUpstream;
  /** What the provider says to the own key; to the operator's it answers. */
  let says: UpstreamScript;

  beforeEach(async () => {
    says = goodChat();
    const script: UpstreamScript = (visit) =>
      (visit.headers.authorization === `Bearer ${own}` ? says : goodChat())(visit);
    [acme, spare] = await Promise.all([startScriptedUpstream(script), startScriptedUpstream(script)]);
  });

  afterEach(() => Promise.all([acme.stop(), spare.stop()]));

  const start = (retries = 0) =>
    new ScriptedRun([`${acme.url}/v1`, `${spare.url}/v1`], { retries, moreKeys: ['canary-second'] });
  const keysAsked = () => acme.visits.map(({ headers }) => headers.authorization);

  it('goes with that key, says so in its event, and leaves others with the operator’s', async () => {
    const run = start();
    const call = await run.run({ ownKeys: run.ownKey(own) });
    expect(call.failures).toEqual([]);
    expect(keysAsked()).toEqual([`Bearer ${own}`]);
    expect(call.event.attempts).toMatchObject([{ provider: 'acme', status: 200, ownKey: true }]);
    expect(JSON.stringify([call.event, call.attempts, call.heads])).not.toContain(own);
    const other = await run.run();
    expect([`Bearer ${secretOf('acme')}`, 'Bearer canary-second']).toContain(keysAsked()[1]);
    expect(other.event.attempts[0]).not.toHaveProperty('ownKey');
  });

  it.each([
    ['401', 401, wrong, 401],
    ['402', 402, empty, 403],
    ['429 of an empty account', 429, empty, 403],
    ['403', 403, '{"error":{"message":"Country not supported"}}', 403],
    ['404', 404, '{"error":{"message":"The model does not exist or you do not have access to it."}}', 404],
  ])(
    'is told what it is refused for, %s, which is nobody else’s: no key of the operator’s is asked',
    async (...row) => {
      const [, status, body, told] = row;
      const run = start(1);
      says = (visit) => answerJson(visit, status, body);
      const failed = [];
      for (let n = 0; n < 8; n++) failed.push(await run.run({ ownKeys: run.ownKey(own) }));
      for (const { failures, event } of failed) {
        expect(failures).toMatchObject([{ code: 'refused', status: told, details: { reason: 'own_key_refused' } }]);
        expect(failures[0]?.message).toMatch(/refused the key that your account brought for it/);
        expect(JSON.stringify([failures, event])).not.toContain(own);
        expect(event.usage.input).toBe(0);
      }
      expect([new Set(keysAsked()), spare.visits]).toEqual([new Set([`Bearer ${own}`]), []]);
      expect(run.logs.join('')).not.toContain(own);
      // Who reads it is not to look for what is wrong with the operator's key.
      expect(run.logs.join('')).toContain('"provider":"acme (own key)"');
      expect(run.keys.report()).toEqual([]);
      expect(run.gate.report()).toMatchObject([{ deployment: 'acme/one@acme', state: 'closed', timesOpened: 0 }]);
      const other = await run.run();
      expect(other.event.attempts).toMatchObject([{ status: 200 }]);
    },
  );

  it('is limited by itself: a 429 with the provider’s time, and nobody else waits', async () => {
    const run = start();
    says = (visit) => answerJson(visit, 429, limits, { 'retry-after': '30' });
    for (let n = 0; n < 8; n++) {
      const { failures } = await run.run({ ownKeys: run.ownKey(own) });
      expect(failures).toMatchObject([{ status: 429, retryAfterS: 30, details: { reason: 'own_key_limited' } }]);
    }
    expect(acme.visits).toHaveLength(8);
    expect((await run.run()).event.attempts).toMatchObject([{ status: 200 }]);
    expect(run.gate.report()).toMatchObject([{ state: 'closed', concurrencyLimit: null, inFlight: 0 }]);
  });

  it('is not kept from its provider by what others met there', async () => {
    const run = start();
    const refused: UpstreamScript = (visit) => answerJson(visit, 500, '{"error":{"message":"broken"}}');
    acme.script = (visit) => (visit.headers.authorization === `Bearer ${own}` ? goodChat() : refused)(visit);
    spare.script = refused;
    for (let n = 0; n < 8; n++) await run.run();
    expect(run.gate.report().some(({ state }) => state !== 'closed')).toBe(true);
    expect((await run.run({ ownKeys: run.ownKey(own) })).failures).toEqual([]);
  });

  it('goes to a fallback only where the account has a key of that, too', async () => {
    const run = start();
    says = (visit) => answerJson(visit, 500, '{"error":{"message":"broken"}}');
    acme.script = says;
    const alone = await run.run({ ownKeys: run.ownKey(own) });
    expect(alone.failures).toMatchObject([{ code: 'upstream', status: 502 }]);
    expect(spare.visits).toEqual([]);
    spare.script = goodChat();
    const both = await run.run({ ownKeys: { ...run.ownKey(own), ...run.ownKey(own, { provider: 'spare1' }) } });
    expect(both.event.attempts).toMatchObject([{ provider: 'acme' }, { provider: 'spare1', ownKey: true }]);
    expect(spare.visits[0]?.headers.authorization).toBe(`Bearer ${own}`);
  });

  it('is limited, or refused, where several own keys are, and fails where one of them failed otherwise', async () => {
    const run = start();
    const both = { ...run.ownKey(own), ...run.ownKey(own, { provider: 'spare1' }) };
    const failures = async () => (await run.run({ ownKeys: both })).failures;
    acme.script = (visit) => answerJson(visit, 429, limits);
    spare.script = (visit) => answerJson(visit, 429, limits, { 'retry-after': '7' });
    expect(await failures()).toMatchObject([{ status: 429, retryAfterS: 7, details: { reason: 'own_key_limited' } }]);
    spare.script = (visit) => answerJson(visit, 429, empty);
    expect(await failures()).toMatchObject([{ status: 403, details: { reason: 'own_key_refused' } }]);
    expect([acme.visits.length, spare.visits.length]).toEqual([2, 2]);
    spare.script = (visit) => answerJson(visit, 500, '{"error":{"message":"broken"}}');
    expect(await failures()).toMatchObject([{ code: 'upstream', status: 502 }]);
  });

  it.each([
    ['account', { accountId: 'another' }],
    ['address', { baseUrl: 'https://elsewhere.example/v1' }],
  ])('is refused, and nobody asked, where the key was sealed for another %s', async (_, about) => {
    const run = start();
    const { failures, attempts } = await run.run({ ownKeys: run.ownKey(own, about) });
    expect(failures).toMatchObject([{ status: 403, details: { reason: 'own_key_refused' } }]);
    expect(failures[0]?.message).toContain('acme cannot be used');
    expect([attempts, acme.visits, spare.visits]).toEqual([[], [], []]);
  });

  it('is asked nobody’s bill for: no id is kept by which the operator’s key would look for what it cost', async () => {
    const run = new ScriptedRun([`${acme.url}/v1`], { provider: { bills: { form: 'openrouter', keyEnv: ['BILLS'] } } });
    const brought = await run.run({ ownKeys: run.ownKey(own) });
    const other = await run.run();
    expect(other.event.attempts).toMatchObject([{ answerId: expect.any(String) as string }]);
    expect(brought.event.attempts[0]).not.toHaveProperty('answerId');
  });

  it.each([
    ['is reached no more', () => start(), 'gone'],
    ['is simulated now', () => new ScriptedRun([`${acme.url}/v1`], { sandboxUrl: acme.url }), 'acme'],
    [
      'was closed to such keys since',
      () => new ScriptedRun([`${acme.url}/v1`], { provider: { ownKeys: false } }),
      'acme',
    ],
    [
      'is not to be asked from here, and there is no other',
      () => new ScriptedRun([`${acme.url}/v1`], { provider: { isLive: true, sealedKeys: [] } }),
      'acme',
    ],
  ])('is refused for good, and not served by the operator, where its provider %s', async (_, begin, provider) => {
    const run = begin();
    const [sealed = ''] = Object.values(run.ownKey(own));
    const { failures } = await run.run({ ownKeys: { [provider]: sealed } });
    expect(failures).toMatchObject([{ code: 'refused', status: 403, details: { reason: 'own_key_refused' } }]);
    expect(failures[0]?.message).toContain(`its own key for ${provider}`);
    expect([acme.visits, spare.visits]).toEqual([[], []]);
  });

  it('goes to a provider that the operator has no key of, where nobody else’s goes', async () => {
    const run = new ScriptedRun([`${acme.url}/v1`, `${spare.url}/v1`], { keyless: ['acme'] });
    const { event } = await run.run({ ownKeys: run.ownKey(own) });
    expect(event.attempts).toMatchObject([{ provider: 'acme', status: 200, ownKey: true }]);
    expect((await run.run()).event.attempts).toMatchObject([{ provider: 'spare1', status: 200 }]);
    expect(keysAsked()).toEqual([`Bearer ${own}`]);
    run.hold('acme/one@acme', {});
    expect((await run.run({ ownKeys: run.ownKey(own) })).failures).toMatchObject([{ status: 503 }]);
    expect(acme.visits).toHaveLength(1);
  });

  it('may be tried again where nobody at all could be served', async () => {
    const run = start();
    const { failures } = await run.run({ model: 'acme/unknown', ownKeys: run.ownKey(own) });
    expect(failures).toMatchObject([{ code: 'overloaded', status: 503 }]);
  });

  it('leaves connections to other accounts where its answers hang', async () => {
    const run = start();
    says = () => undefined;
    const calls = Array.from({ length: 101 }, () => new RecordedCall(aRequest({ ownKeys: run.ownKey(own) })));
    const ends = calls.map((call) => run.handle(call));
    await eventually(() => acme.visits.length >= 50);
    const accountId = 'another';
    const other = await run.run({ accountId, ownKeys: run.ownKey('canary-of-another', { accountId }) });
    expect(other.event.attempts).toMatchObject([{ status: 200, ownKey: true }]);
    for (const call of calls) call.cancel('caller_left');
    await Promise.all(ends);
  });

  it('heeds what an operator closed', async () => {
    const run = start();
    run.hold('acme/one@acme', {});
    expect((await run.run({ ownKeys: run.ownKey(own) })).failures).toMatchObject([{ status: 503 }]);
    expect(acme.visits).toEqual([]);
  });
});
