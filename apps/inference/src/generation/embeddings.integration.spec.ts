import { answerJson, startScriptedUpstream } from '@tollgate/testing';
import type { ScriptedUpstream } from '@tollgate/testing';
import { aRequest } from '../testing/fixtures';
import { RecordedCall } from '../testing/recorded-call';
import { ScriptedRun } from '../testing/scripted-run';

const openai =
  '{"object":"list","data":[{"object":"embedding","index":0,"embedding":[0.5]}],"usage":{"prompt_tokens":6,"total_tokens":6}}';
const rows = [
  { dialect: 'openai-chat', path: '/embeddings', answer: openai, input: 6, estimated: false },
  {
    dialect: 'gemini',
    path: '/models/one:batchEmbedContents',
    answer: '{"embeddings":[{"values":[0.5]}]}',
    input: 2,
    estimated: true,
  },
  {
    dialect: 'cohere',
    path: '/embed',
    answer: '{"embeddings":{"float":[[0.5]]},"meta":{"billed_units":{"input_tokens":5}}}',
    input: 5,
    estimated: false,
  },
] as const;

let upstream: ScriptedUpstream;
beforeEach(async () => {
  upstream = await startScriptedUpstream((visit) => answerJson(visit, 200, openai));
});
afterEach(() => upstream.stop());

function aCall(): RecordedCall {
  const body = Buffer.from(JSON.stringify({ model: 'acme/one', input: 'Hello world' }));
  return new RecordedCall(aRequest({ surface: 'openai-embeddings' }), body);
}

describe.each(rows)('embeddings of a provider that speaks $dialect', ({ dialect, path, answer, input, estimated }) => {
  it('are answered in the form of OpenAI and metered like the rest, with input tokens alone', async () => {
    upstream.script = (visit) => answerJson(visit, 200, answer);
    const call = await new ScriptedRun([upstream.url], { dialect, kind: 'embedding' }).handle(aCall());
    expect(upstream.visits[0]?.path).toBe(path);
    expect(JSON.parse(call.text)).toMatchObject({ object: 'list', data: [{ index: 0 }] });
    expect(call.event).toMatchObject({
      surface: 'openai-embeddings',
      model: 'acme/one',
      state: 'completed',
      estimated,
      usage: { input, output: 0 },
    });
  });

  it('are tried again after a failure, and fail as the rest does', async () => {
    upstream.script = (visit) => answerJson(visit, visit.number === 0 ? 500 : 200, answer);
    const run = new ScriptedRun([upstream.url], { dialect, kind: 'embedding' });
    expect((await run.handle(aCall())).event).toMatchObject({ state: 'completed', attempts: [{}, {}] });
    upstream.script = (visit) => answerJson(visit, 200, '{}');
    const failed = await run.handle(aCall());
    expect(failed.failures).toMatchObject([{ code: 'upstream', status: 502 }]);
  });
});

describe('a model that generates', () => {
  it('is no place for embeddings, and the other way round', async () => {
    const embeddings = await new ScriptedRun([upstream.url]).handle(aCall());
    const chat = await new ScriptedRun([upstream.url], { kind: 'embedding' }).run();
    for (const { failures } of [embeddings, chat]) expect(failures).toMatchObject([{ code: 'overloaded' }]);
    expect(upstream.visits).toHaveLength(0);
  });
});
