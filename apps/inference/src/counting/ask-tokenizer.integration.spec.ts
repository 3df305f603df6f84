import type { ModelKind } from '@tollgate/contracts';
import type { CatalogModel, ProviderDefinition } from '@tollgate/contracts/catalog';
import type { TokenizerTask } from '@tollgate/contracts/inference';
import { answerJson, silence, startScriptedUpstream } from '@tollgate/testing';
import type { ScriptedUpstream, UpstreamScript } from '@tollgate/testing';
import { aRequest } from '../testing/fixtures';
import { RecordedCall } from '../testing/recorded-call';
import { ScriptedRun } from '../testing/scripted-run';

const answer = '{"tokens": [1, 822 ,3]}';

let servers: ScriptedUpstream[];
let scripts: UpstreamScript[];
beforeEach(async () => {
  scripts = [(visit) => answerJson(visit, 200, answer), (visit) => answerJson(visit, 200, '{"tokens":[9]}')];
  servers = await Promise.all([0, 1].map((index) => startScriptedUpstream((visit) => scripts[index]?.(visit))));
});
afterEach(() => Promise.all(servers.map((server) => server.stop())));

function aCall(text: string, tokenizer: TokenizerTask = 'tokenize'): RecordedCall {
  return new RecordedCall(aRequest({ kind: tokenizer, stream: false }), Buffer.from(text));
}

interface Asked {
  call?: RecordedCall;
  provider?: Partial<ProviderDefinition>;
  kind?: ModelKind;
  model?: Partial<CatalogModel>;
  path?: string;
}

/**
 * Asks a model whose fallback is at the second server, below the path that servers answer chat completions
 * at.
 */
function ask({ call, provider, kind, model, path = '/v1' }: Asked = {}): Promise<RecordedCall> {
  const urls = servers.map(({ url }) => `${url}${path}`);
  const changed = { tokenizes: true, operatorDefined: true, ...provider };
  const run = new ScriptedRun(urls, { provider: changed, ...(kind && { kind }), ...(model && { model }) });
  return run.handle(call ?? aCall('{"model":"acme/one","content":"Hello"}'));
}

const visits = () => servers.flatMap((server) => server.visits.map(({ path }) => path));

describe('the tokenizer of a server of one’s own', () => {
  it.each(['tokenize', 'detokenize'] as const)(
    'is asked beside /v1, byte for byte but for the name of the model: %s',
    async (task) => {
      const sent = '{ "model" : "acme/one","content":"Hé\\u00e9 <s>" ,\n "with_pieces": true, "x": 1e3 }';
      const call = await ask({ call: aCall(sent, task) });
      expect(visits()).toEqual([`/${task}`]);
      expect(servers[0]?.visits[0]?.body.toString()).toBe(sent.replace('acme/one', 'one'));
      expect(call.text).toBe(answer);
      expect(call.heads).toMatchObject([{ status: 200, headers: { 'x-gateway-provider': 'acme' } }]);
    },
  );

  it('is asked below the path that a server has for itself, with its key', async () => {
    await ask({ path: '/team/v1' });
    expect(servers[0]?.visits[0]).toMatchObject({
      path: '/team/tokenize',
      headers: { authorization: expect.stringContaining('Bearer ') as string },
    });
  });

  it('leaves neither an attempt nor a usage event, so that nobody bills it', async () => {
    expect(await ask()).toMatchObject({ attempts: [], ends: 1, events: [null], failures: [] });
  });

  it.each(['embedding', 'rerank'] as const)('is asked of a model of the kind %s, too', async (kind) => {
    expect((await ask({ kind })).text).toBe(answer);
  });

  it('is a 400 where no server of the model has one, and none is asked', async () => {
    const { failures } = await ask({ provider: { tokenizes: false } });
    expect(failures).toMatchObject([{ code: 'refused', status: 400, message: expect.stringMatching(/acme\/one/) }]);
    expect(visits()).toEqual([]);
  });

  it.each([
    [404, '{"detail":"Not Found"}', 400, 'Not Found'],
    [404, '{"error":{"message":"The model `one` does not exist.","code":404}}', 400, 'does not exist'],
    [501, 'This server does not support it', 400, 'POST /tokenize'],
    [400, '{"error":{"code":400,"message":"content must be text"}}', 400, 'content must be text'],
    [500, '{"error":{"code":500,"message":"boom"}}', 502, 'boom'],
    [503, '{"error":{"code":503,"message":"Loading model"}}', 503, 'Loading model'],
    [200, '{"error":{"code":500,"message":"boom"}}', 502, '500'],
    [200, '<html>a page</html>', 502, 'page'],
  ])('that answers %d %s is told as %d: %s', async (status, body, told, words) => {
    scripts[0] = (visit) => answerJson(visit, status, body);
    const call = await ask();
    expect(call.failures).toMatchObject([{ status: told, message: expect.stringContaining(words) as string }]);
    expect([call.events, visits()]).toEqual([[null], ['/tokenize']]);
  });

  it('is that of another place of the same model where the first fails, and never that of another model', async () => {
    scripts[0] = (visit) => answerJson(visit, 503, '{}');
    expect((await ask()).failures).toHaveLength(1);
    expect(visits()).toEqual(['/tokenize']);
    const deployments = ['acme', 'spare1'].map((provider) => ({ id: provider, provider, upstreamModel: 'one' }));
    const call = await ask({ model: { deployments } });
    expect([call.text, call.events]).toEqual(['{"tokens":[9]}', [null]]);
  });

  it("is asked with each caller's own of several keys", async () => {
    const options = { provider: { tokenizes: true }, moreKeys: ['canary-second-key'] };
    const run = new ScriptedRun([`${servers[0]?.url}/v1`], options);
    for (let id = 1; id <= 20; id += 1) {
      const request = aRequest({ kind: 'tokenize', stream: false, keyId: `caller-${id}` });
      await run.handle(new RecordedCall(request, Buffer.from('{"model":"acme/one","content":"Hello"}')));
    }
    expect(new Set(servers[0]?.visits.map(({ headers }) => headers.authorization)).size).toBe(2);
    await run.pools.close();
  });

  it('is not asked at a place that an operator closed', async () => {
    const run = new ScriptedRun([servers[0]?.url ?? ''], { provider: { tokenizes: true } });
    run.hold('acme/one@acme', {});
    expect((await run.handle(aCall('{"model":"acme/one"}'))).failures).toMatchObject([{ status: 503 }]);
    expect(visits()).toEqual([]);
  });

  it('passes an answer of many tokens on as it is', async () => {
    const many = `{"tokens":[${Array.from({ length: 100_000 }, (_, index) => index).join(',')}]}`;
    scripts[0] = (visit) => answerJson(visit, 200, many);
    const call = await ask();
    expect([call.failures, call.text === many]).toEqual([[], true]);
  });

  it('is left at once by a caller who leaves', async () => {
    scripts[0] = silence;
    const call = aCall('{"model":"acme/one"}');
    const over = ask({ call });
    const visit = await servers[0]?.visited(1);
    call.cancel('caller_left');
    await Promise.all([over, visit?.closed]);
    expect(call.failures).toMatchObject([{ code: 'cancelled' }]);
  });
});
