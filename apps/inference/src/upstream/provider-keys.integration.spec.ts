import { goodChat, startScriptedUpstream, type ScriptedUpstream } from '@tollgate/testing';
import { ScriptedRun, secretOf } from '../testing/scripted-run';

describe('a provider key', () => {
  let provider: ScriptedUpstream;
  let stranger: ScriptedUpstream;

  beforeEach(async () => {
    provider = await startScriptedUpstream(goodChat());
    stranger = await startScriptedUpstream(goodChat());
  });

  afterEach(async () => {
    await provider.stop();
    await stranger.stop();
  });

  it('goes to its own provider only, with our request id', async () => {
    provider.script = ({ response }) => void response.writeHead(500).end();
    const run = new ScriptedRun([`${provider.url}/v1/`, `${stranger.url}/other`]);
    await run.run({ requestId: 'request-77' });
    await run.pools.close();
    expect(provider.visits[0]?.headers).toMatchObject({
      authorization: `Bearer ${secretOf('acme')}`,
      'x-client-request-id': 'request-77',
      'accept-encoding': 'identity',
    });
    expect(provider.visits[0]?.path).toBe('/v1/chat/completions');
    expect(JSON.stringify(stranger.visits.map(({ headers, body }) => [headers, body.toString()]))).not.toContain(
      secretOf('acme'),
    );
    expect(stranger.visits[0]?.headers.authorization).toBe(`Bearer ${secretOf('spare1')}`);
    expect(stranger.visits[0]?.path).toBe('/other/chat/completions');
  });

  it.each([301, 302, 307, 308])('does not follow a redirect (%d)', async (status) => {
    provider.script = ({ response }) => {
      response.writeHead(status, { location: `${stranger.url}/v1/chat/completions` }).end();
    };
    const run = new ScriptedRun([`${provider.url}/v1`]);
    const call = await run.run();
    await run.pools.close();
    expect(call.failures).toMatchObject([{ code: 'upstream', status: 502 }]);
    expect(stranger.visits).toHaveLength(0);
  });

  it('is in no log line and no message, whatever happens', async () => {
    const run = new ScriptedRun([`${provider.url}/v1`]);
    const echo = `{"error":{"message":"Incorrect API key provided: ${secretOf('acme')}"}}`;
    for (const status of [200, 400, 401, 429, 500]) {
      provider.script = ({ response }) => void response.writeHead(status).end(echo);
      const call = await run.run();
      expect(JSON.stringify([call.failures, call.events])).not.toContain(secretOf('acme'));
    }
    provider.script = () => {
      throw new Error('reset');
    };
    await run.run();
    await run.pools.close();
    expect(run.logs.length).toBeGreaterThan(5);
    expect(run.logs.join('')).not.toContain('canary');
  });

  it('is not replaced by what a caller sends', async () => {
    const run = new ScriptedRun([`${provider.url}/v1`]);
    await run.run({
      headers: { authorization: 'Bearer caller', host: 'stranger', cookie: 'a=b', 'openai-beta': 'x=1' },
    });
    await run.pools.close();
    expect(provider.visits[0]?.headers).toMatchObject({
      authorization: `Bearer ${secretOf('acme')}`,
      host: provider.url.replace('http://', ''),
      'openai-beta': 'x=1',
    });
    expect(provider.visits[0]?.headers.cookie).toBeUndefined();
  });

  it('keeps the headers of a provider from the caller, but the allowed ones', async () => {
    provider.script = (visit) => {
      visit.response.setHeader('set-cookie', 'session=1');
      visit.response.setHeader('openai-organization', 'our-account');
      visit.response.setHeader('x-ratelimit-remaining-requests', '1');
      visit.response.setHeader('openai-processing-ms', '12');
      return goodChat()(visit);
    };
    const run = new ScriptedRun([`${provider.url}/v1`]);
    const call = await run.run();
    await run.pools.close();
    expect(call.heads[0]?.headers).toEqual({
      'content-type': 'application/json',
      'openai-processing-ms': '12',
      'x-gateway-provider': 'acme',
      'x-gateway-model': 'acme/one',
      'x-gateway-attempts': '1',
    });
  });
});
