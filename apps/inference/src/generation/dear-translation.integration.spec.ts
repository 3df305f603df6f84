import { chatWords, goodChat, startScriptedUpstream, type ScriptedUpstream } from '@tollgate/testing';
import { aRequest } from '../testing/fixtures';
import { RecordedCall } from '../testing/recorded-call';
import { ScriptedRun } from '../testing/scripted-run';

/** A request for a provider of another dialect. */
function aMessage(content: string): RecordedCall {
  const body = { model: 'one', max_tokens: 100, messages: [{ role: 'user', content }] };
  return new RecordedCall(aRequest({ surface: 'anthropic-messages' }), Buffer.from(JSON.stringify(body)));
}

const longText = 'word after word '.repeat(500_000);
const aLargeMessage = (): RecordedCall => aMessage(longText);

describe('a large request for a provider of another dialect', () => {
  let upstream: ScriptedUpstream;
  let run: ScriptedRun;

  beforeEach(async () => {
    upstream = await startScriptedUpstream(goodChat());
    run = new ScriptedRun([`${upstream.url}/v1`]);
  });

  afterEach(async () => {
    await run.threads.close();
    await run.pools.close();
    await upstream.stop();
  });

  it('is translated while another one, which came later, is served', async () => {
    const [large, small] = [aLargeMessage(), aMessage('Hi')];
    const ended = run.handle(large);
    await run.handle(small);
    expect([small.attempts, large.attempts]).toEqual([[expect.anything()], []]);
    await ended;
    const visit = await upstream.visited(2);
    expect(visit.body.includes(longText)).toBe(true);
    for (const call of [large, small]) {
      expect(call).toMatchObject({ ends: 1, failures: [] });
      for (const word of chatWords) expect(call.text).toContain(word);
    }
  });

  it('is translated so, too, where its conversation is to be compacted', async () => {
    const content = 'Said before. '.repeat(50);
    const input = Array.from({ length: 9_000 }, () => ({ type: 'message', role: 'user', content }));
    const asked = aRequest({ surface: 'openai-responses', kind: 'compact' });
    const large = new RecordedCall(asked, Buffer.from(JSON.stringify({ model: 'one', input })));
    const small = aMessage('Hi');
    const ended = run.handle(large);
    await run.handle(small);
    expect([small.attempts, large.attempts]).toEqual([[expect.anything()], []]);
    await ended;
    const visit = await upstream.visited(2);
    expect([String(visit.body).split('Said before.').length, visit.body.includes('summary')]).toEqual([450_001, true]);
    expect(large.text.split('Said before.')).toHaveLength(450_001);
  });

  it('alone is refused where its thread ends over it, and the next one has a thread', async () => {
    const large = aLargeMessage();
    const ended = run.handle(large);
    await run.threads.close();
    await ended;
    expect(large.failures).toMatchObject([{ status: 503, retryAfterS: 5 }]);
    expect(large.events).toEqual([null]);
    expect(await run.handle(aLargeMessage())).toMatchObject({ ends: 1, failures: [] });
  });

  it('ends with its caller, without a provider', async () => {
    const large = aLargeMessage();
    const ended = run.handle(large);
    large.cancel('caller_left');
    await ended;
    expect(large.failures).toHaveLength(1);
    expect(upstream.visits).toHaveLength(0);
  });
});
