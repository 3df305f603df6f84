import { answerJson, freePort, silence, startScriptedUpstream } from '@tollgate/testing';
import type { ScriptedUpstream } from '@tollgate/testing';
import { ScriptedRun } from '../testing/scripted-run';

const names = 'The model `one` does not exist. Valid models: Qwen/Qwen3-8B';
let upstream: ScriptedUpstream;
beforeEach(async () => {
  upstream = await startScriptedUpstream((visit) =>
    answerJson(visit, 404, JSON.stringify({ error: { message: names, type: 'NotFoundError', code: 404 } })),
  );
});
afterEach(() => upstream.stop());

async function failureAt(url: string, operatorDefined: boolean) {
  const run = new ScriptedRun([url], { retries: 0, provider: { operatorDefined } });
  const { failures } = await run.run();
  return { message: failures[0]?.message, status: failures[0]?.status, log: run.logs.join('') };
}

describe('what a server of the operator says', () => {
  it('reaches its callers, and the address stands in the log', async () => {
    const { message, log } = await failureAt(upstream.url, true);
    expect(message).toBe(`acme answered 404: ${names}`);
    expect(log).toContain(`"url":"${upstream.url}/chat/completions"`);
    expect((await failureAt(upstream.url, false)).message).toBe('acme answered 404');
  });

  it('is told with address and code where nobody listens', async () => {
    const url = `http://127.0.0.1:${await freePort()}/v1`;
    const system = `POST ${url}/chat/completions: nobody listens there (ECONNREFUSED)`;
    const { message, log } = await failureAt(url, true);
    expect(message).toBe(`acme could not be reached (${system})`);
    expect(log).toContain(`"system":"${system}"`);
    const others = await failureAt(url, false);
    expect(others.message).toBe('acme could not be reached');
    expect(others.log).toContain(`"system":"${system}"`);
  });

  it('is told with the setting of the limit that passed', async () => {
    upstream.script = silence;
    const { message, status } = await failureAt(upstream.url, true);
    expect([status, message]).toEqual([504, expect.stringMatching(/firstByteMs of its timeouts is 400\)$/)]);
  });
});
