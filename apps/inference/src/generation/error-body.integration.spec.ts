import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { goodChat, silence, startScriptedUpstream, type ScriptedUpstream } from '@tollgate/testing';
import { ScriptedRun } from '../testing/scripted-run';

describe('the error of a provider', () => {
  let provider: ScriptedUpstream;
  let spare: ScriptedUpstream;
  const runs: ScriptedRun[] = [];

  beforeEach(async () => {
    provider = await startScriptedUpstream(() => undefined);
    spare = await startScriptedUpstream(goodChat());
  });

  afterEach(async () => {
    await Promise.all(runs.splice(0).map(({ pools }) => pools.close()));
    await provider.stop();
    await spare.stop();
  });

  function runAt(...upstreams: ScriptedUpstream[]): ScriptedRun {
    const baseUrls = upstreams.map(({ url }) => `${url}/v1`);
    const run = new ScriptedRun(baseUrls, { retries: 0 });
    runs.push(run);
    return run;
  }

  it('is heard also where its body does not end', async () => {
    provider.script = async (visit) => {
      visit.response.writeHead(500, { 'content-type': 'application/json' }).write('{"error":{"message":"boom"}}');
      await silence(visit);
    };
    const { event } = await runAt(provider, spare).run();
    expect(event.attempts).toMatchObject([
      { provider: 'acme', status: 500, reason: 'boom' },
      { provider: 'spare1', status: 200 },
    ]);
  });

  it.each([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['GZIP', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('is read in the encoding %s, though none was asked for', async (encoding, encode) => {
    const error = { error: { message: 'too long', code: 'context_length_exceeded' } };
    provider.script = ({ response }) => {
      const headers = { 'content-type': 'application/json', 'content-encoding': encoding };
      response.writeHead(400, headers).end(encode(JSON.stringify(error)));
    };
    const call = await runAt(provider).run();
    expect(call.failures).toMatchObject([{ status: 400, message: 'too long' }]);
    expect(call.event.attempts).toMatchObject([{ error: 'context_length_exceeded' }]);
  });

  it.each([
    ['an encoding that is not known', 'zstd', Buffer.from('(\xb5/\xfd', 'latin1')],
    ['what is not in its encoding', 'gzip', Buffer.from('{"error":{"message":"no gzip"}}')],
    ['what becomes very large', 'gzip', gzipSync(Buffer.alloc(2_000_000))],
  ])('is told without its bytes where they are of %s', async (_, encoding, body) => {
    provider.script = ({ response }) => {
      response.writeHead(400, { 'content-encoding': encoding }).end(body);
    };
    const call = await runAt(provider).run();
    expect(call.failures).toMatchObject([{ status: 400, message: 'acme refused the request (400)' }]);
  });

  it.each(['Identity', ''])('is none where the encoding of an answer is said to be none: %j', async (encoding) => {
    provider.script = (visit) => {
      visit.response.setHeader('content-encoding', encoding);
      return goodChat()(visit);
    };
    expect((await runAt(provider).run()).event.state).toBe('completed');
  });
});
