import { answerJson, startScriptedUpstream } from '@tollgate/testing';
import type { ScriptedUpstream } from '@tollgate/testing';
import { aRequest } from '../testing/fixtures';
import { RecordedCall } from '../testing/recorded-call';
import { ScriptedRun } from '../testing/scripted-run';

const usage = '"usage":{"prompt_tokens":6,"completion_tokens":4,"total_tokens":10}';
const completion = `{"object":"text_completion","choices":[{"index":0,"text":" return a","finish_reason":"stop"}],${usage}}`;
const stream = [
  '{"object":"text_completion","choices":[{"index":0,"text":" return","finish_reason":null}]}',
  '{"object":"text_completion","choices":[{"index":0,"text":" a","finish_reason":"stop"}]}',
  `{"object":"text_completion","choices":[],${usage}}`,
  '[DONE]',
].map((data) => `data: ${data}\n\n`);

let upstream: ScriptedUpstream;
let whole = completion;
beforeEach(async () => {
  whole = completion;
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

describe('text completions', () => {
  it.each([false, true])(
    'of a server that has them pass in both directions and are metered (stream: %s)',
    async (streamed) => {
      const call = await new ScriptedRun([upstream.url], { provider: { textCompletions: true } }).handle(
        aCall(streamed),
      );
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
});

it('the order of documents passes in both directions and is metered', async () => {
  whole =
    '{"results":[{"index":1,"relevance_score":0.9},{"index":0,"relevance_score":1e-3}],"usage":{"total_tokens":6}}';
  const body = { model: 'acme/one', query: 'Which?', documents: ['this', 'that'], top_n: 2 };
  const request = aRequest({ surface: 'rerank', stream: false });
  const call = new RecordedCall(request, Buffer.from(JSON.stringify(body)));
  const { text, event } = await new ScriptedRun([upstream.url], { kind: 'rerank' }).handle(call);
  expect(upstream.visits).toMatchObject([{ path: '/rerank' }]);
  expect(JSON.parse(String(upstream.visits[0]?.body))).toEqual({ ...body, model: 'one' });
  expect(text).toBe(whole);
  expect(event).toMatchObject({
    surface: 'rerank',
    state: 'completed',
    estimated: false,
    usage: { input: 6, output: 0 },
  });
});
