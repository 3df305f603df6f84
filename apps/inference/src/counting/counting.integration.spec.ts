import type { DialectName } from '@tollgate/contracts';
import type { TimeLimits } from '@tollgate/contracts/catalog';
import { answerJson, silence, startScriptedUpstream } from '@tollgate/testing';
import type { ScriptedUpstream, UpstreamScript } from '@tollgate/testing';
import { aRequest } from '../testing/fixtures';
import { RecordedCall } from '../testing/recorded-call';
import { ScriptedRun } from '../testing/scripted-run';

const message = { model: 'acme/one', messages: [{ role: 'user', content: 'Hello world' }] };
const counted: UpstreamScript = (visit) => answerJson(visit, 200, '{"input_tokens":42,"more":1}');

let upstream: ScriptedUpstream;
beforeEach(async () => {
  upstream = await startScriptedUpstream(counted);
});
afterEach(() => upstream.stop());

function aCall(): RecordedCall {
  const request = aRequest({
    surface: 'anthropic-messages',
    kind: 'count_tokens',
    headers: { 'anthropic-version': '2023-06-01', 'anthropic-beta': 'b' },
  });
  return new RecordedCall(request, Buffer.from(JSON.stringify(message)));
}

function run(dialect: DialectName, call = aCall(), timeouts: TimeLimits = {}): Promise<RecordedCall> {
  return new ScriptedRun([upstream.url], { dialect, timeouts }).handle(call);
}

describe('counting tokens', () => {
  it('is asked of a provider that counts, which sees its own model name and the headers of the caller', async () => {
    const call = await run('anthropic-messages');
    expect(call.text).toBe('{"input_tokens":42,"more":1}');
    expect(call.heads[0]?.headers).toMatchObject({ 'x-gateway-provider': 'acme', 'x-gateway-attempts': '1' });
    expect(call.heads[0]?.headers['x-gateway-warnings']).toBeUndefined();
    const [visit] = upstream.visits;
    expect(visit?.path).toBe('/messages/count_tokens');
    expect(visit?.headers).toMatchObject({ 'anthropic-version': '2023-06-01', 'anthropic-beta': 'b' });
    expect(JSON.parse(visit?.body.toString() ?? '')).toEqual({ ...message, model: 'one' });
  });

  it('is never announced as an attempt and leaves no usage event, so that nobody bills it', async () => {
    for (const dialect of ['anthropic-messages', 'openai-chat'] as const) {
      const call = await run(dialect);
      expect(call).toMatchObject({ attempts: [], ends: 1, events: [null], failures: [] });
    }
  });

  it.each([
    ['speaks another dialect', 'openai-chat', counted],
    ['has no such address', 'anthropic-messages', (visit) => answerJson(visit, 404, '{}')],
    ['fails', 'anthropic-messages', (visit) => answerJson(visit, 500, '{}')],
    ['does not take our key', 'anthropic-messages', (visit) => answerJson(visit, 401, '{}')],
    ['answers something else', 'anthropic-messages', (visit) => answerJson(visit, 200, '{"tokens":1}')],
    ['sends no end', 'anthropic-messages', (visit) => answerJson(visit, 200, ' '.repeat(100_000))],
    ['says nothing', 'anthropic-messages', silence],
  ] satisfies [string, DialectName, UpstreamScript][])(
    'is done by tokenizer when the provider %s, and the caller is told',
    async (_, dialect, script) => {
      upstream.script = script;
      const call = await run(dialect, aCall(), script === silence ? { firstByteMs: 400 } : {});
      expect(JSON.parse(call.text)).toEqual({ input_tokens: 8 });
      expect(call.heads[0]?.headers['x-gateway-warnings']).toContain('estimated');
      expect(upstream.visits).toHaveLength(dialect === 'openai-chat' ? 0 : 1);
    },
  );

  it.each([
    ['gemini', '/models/one:countTokens', '{"totalTokens":42}', 'generateContentRequest'],
    ['bedrock-converse', '/model/one/count-tokens', '{"inputTokens":42}', 'input'],
    ['openai-responses', '/responses/input_tokens', '{"object":"response.input_tokens","input_tokens":42}', 'input'],
  ] as const)(
    'is asked of %s at its own address, and told as the caller reads it',
    async (dialect, path, answer, field) => {
      upstream.script = (visit) => answerJson(visit, 200, answer);
      const call = await run(dialect);
      expect(JSON.parse(call.text)).toEqual({ input_tokens: 42 });
      expect(call.heads[0]?.headers['x-gateway-warnings']).toBeUndefined();
      expect(upstream.visits[0]?.path).toBe(path);
      const sent = JSON.parse(upstream.visits[0]?.body.toString() ?? '') as object;
      expect(sent).toHaveProperty(field);
      expect(sent).not.toHaveProperty('max_output_tokens');
      // These mean nothing to a provider of another dialect, and are the caller's.
      const headers = Object.keys(upstream.visits[0]?.headers ?? {});
      expect(headers.filter((name) => name.startsWith('anthropic-'))).toEqual([]);
    },
  );

  it('is done by tokenizer for a model that its provider does not count, and for responses in their own form', async () => {
    upstream.script = (visit) =>
      answerJson(visit, 400, '{"message":"The provided model doesn\'t support counting tokens."}');
    const call = new RecordedCall(
      aRequest({ surface: 'openai-responses', kind: 'count_tokens' }),
      Buffer.from(JSON.stringify({ model: 'acme/one', input: 'Hello world' })),
    );
    await run('bedrock-converse', call);
    expect(JSON.parse(call.text)).toEqual({ object: 'response.input_tokens', input_tokens: expect.any(Number) });
    expect(call.heads[0]?.headers['x-gateway-warnings']).toContain('estimated');
  });

  it('is a 400 when the provider refuses the request itself', async () => {
    upstream.script = (visit) =>
      answerJson(visit, 400, '{"type":"error","error":{"type":"invalid_request_error","message":"bad role"}}');
    const call = await run('anthropic-messages');
    expect(call.failures).toMatchObject([{ code: 'refused', status: 400 }]);
    expect(call.failures[0]?.message).toContain('bad role');
    expect(call.events).toEqual([null]);
  });

  it('ends at once when the caller leaves, and closes the connection to the provider', async () => {
    upstream.script = silence;
    const call = aCall();
    const over = run('anthropic-messages', call);
    const visit = await upstream.visited(1);
    call.cancel('caller_left');
    await Promise.all([over, visit.closed]);
    expect(call.failures).toMatchObject([{ code: 'cancelled' }]);
  });
});
