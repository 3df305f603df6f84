import { answerJson, startScriptedUpstream } from '@tollgate/testing';
import type { ScriptedUpstream } from '@tollgate/testing';
import { aRequest } from '../testing/fixtures';
import { RecordedCall } from '../testing/recorded-call';
import { ScriptedRun } from '../testing/scripted-run';

const usage = '"usage":{"prompt_tokens":6,"completion_tokens":4,"total_tokens":10}';
const whole = `{"object":"text_completion","choices":[{"index":0,"text":" return a","finish_reason":"stop"}],${usage}}`;
const stream = [
  '{"object":"text_completion","choices":[{"index":0,"text":" return","finish_reason":null}]}',
  '{"object":"text_completion","choices":[{"index":0,"text":" a","finish_reason":"stop"}]}',
  `{"object":"text_completion","choices":[],${usage}}`,
  '[DONE]',
].map((data) => `data: ${data}\n\n`);

let upstream: ScriptedUpstream;
beforeEach(async () => {
  upstream = await startScriptedUpstream((visit) => {
    if (!visit.body.includes('"stream":true')) return answerJson(visit, 200, whole);
    visit.response.writeHead(200, { 'content-type': 'text/event-stream' }).end(stream.join(''));
  });
});
afterEach(() => upstream.stop());

function aCall(streamed: boolean): RecordedCall {
  const body = { model: 'acme/one', prompt: 'def f(a):', suffix: '\n', ...(streamed && { stream: true }) };
  const request = aRequest({ surface: 'openai-completions', stream: streamed });
  return new RecordedCall(request, Buffer.from(JSON.stringify(body)));
}

it.each([false, true])(
  'of a server that has them pass in both directions and are metered (stream: %s)',
  async (streamed) => {
    const call = await new ScriptedRun([upstream.url], { provider: { textCompletions: true } }).handle(aCall(streamed));
    const [visit] = upstream.visits;
    expect(visit?.path).toBe('/completions');
    expect(JSON.parse(String(visit?.body))).toMatchObject({ model: 'one', prompt: 'def f(a):', suffix: '\n' });
    expect(call.text).toBe(streamed ? stream.filter((_, index) => index !== 2).join('') : whole);
    expect(call.event).toMatchObject({
      surface: 'openai-completions',
      state: 'completed',
      estimated: false,
      usage: { input: 6, output: 4 },
    });
  },
);

it('are refused where no place of the model has them, with the way that there is', async () => {
  const { failures } = await new ScriptedRun([upstream.url]).handle(aCall(false));
  expect(failures).toMatchObject([
    { code: 'refused', status: 400, message: expect.stringContaining('/v1/chat/completions') },
  ]);
  expect(upstream.visits).toHaveLength(0);
});
