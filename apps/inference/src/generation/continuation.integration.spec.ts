import { guardrail } from '@tollgate/contracts/catalog';
import type { GenerationRequest } from '@tollgate/contracts/inference';
import {
  answerJson,
  beginStream,
  chatChunk,
  chatUsage,
  chatWords,
  goodChat,
  startScriptedUpstream,
  streamWords,
  type ScriptedUpstream,
  type UpstreamScript,
} from '@tollgate/testing';
import { aRequest } from '../testing/fixtures';
import { RecordedCall } from '../testing/recorded-call';
import { ScriptedRun } from '../testing/scripted-run';

const heard = chatWords.slice(0, 5);
/** Five words, and then the connection ends. */
const breaks: UpstreamScript = async (visit) => {
  beginStream(visit);
  await streamWords(visit, heard);
  visit.response.end();
};
const both = [...heard, ...chatWords].join('');

let first: ScriptedUpstream;
let second: ScriptedUpstream;
let run: ScriptedRun;

beforeEach(async () => {
  [first, second] = [await startScriptedUpstream(breaks), await startScriptedUpstream(goodChat())];
  run = new ScriptedRun([`${first.url}/v1`, `${second.url}/v1`], {
    model: { deployments: [{ id: 'acme/one@acme', provider: 'acme', upstreamModel: 'one', discount: '0.1' }] },
  });
});
afterEach(async () => {
  await run.pools.close();
  await Promise.all([first.stop(), second.stop()]);
});

/** Asks for a stream that is to go on. `body`: beside what every request has. */
function ask(body: object = {}, request: Partial<GenerationRequest> = {}): Promise<RecordedCall> {
  const messages = [{ role: 'user', content: 'Say some words.' }];
  const bytes = Buffer.from(JSON.stringify({ model: 'one', stream: true, messages, input: messages, ...body }));
  return run.handle(new RecordedCall(aRequest({ stream: true, includeUsage: true, goesOn: true, ...request }), bytes));
}

/** What the deltas of a chat completion stream say. */
function contentOf(sse: string): string {
  return [...sse.matchAll(/"content":"([^"]*)"/g)].map(([, content]) => content).join('');
}

describe('a stream that breaks', () => {
  it('goes on at the next place, with the text so far, and a comment says so', async () => {
    const call = await ask();
    expect(call).toMatchObject({ ends: 1, failures: [] });
    expect(contentOf(call.text)).toBe(both);
    expect(call.text).toContain(
      '\n\n: tollgate: the stream of acme/one broke at acme (unfinished_answer); it goes on at spare1 with spare1/one\n\n',
    );
    expect(call.text.match(/\[DONE\]/g)).toHaveLength(1);
    const { messages } = JSON.parse((await second.visited(1)).body.toString()) as { messages: unknown[] };
    expect(messages).toMatchObject([
      { role: 'user', content: 'Say some words.' },
      { role: 'assistant', content: heard.join('') },
      { role: 'user', content: expect.stringContaining('cut off') },
    ]);
  });

  it('is billed as it was: each part at its place, and the caller is told the sum', async () => {
    const call = await ask();
    const { usage, ...event } = call.event;
    expect(event).toMatchObject({
      model: 'spare1/one',
      state: 'completed',
      estimated: true,
      attempts: [
        { provider: 'acme', error: 'unfinished_answer' },
        { provider: 'spare1', error: null, goesOn: true },
      ],
    });
    const [part, ...more] = usage.served?.parts ?? [];
    expect(more).toEqual([]);
    expect(part).toMatchObject({ model: 'acme/one', provider: 'acme', served: { discount: '0.1' } });
    expect(part?.input).toBeGreaterThan(0);
    expect(part?.output).toBeGreaterThan(0);
    expect(usage.input).toBe((part?.input ?? 0) + chatUsage.prompt_tokens);
    expect(usage.output).toBe((part?.output ?? 0) + chatUsage.completion_tokens);
    // The discount of the first place is none of the second's.
    expect(usage.served?.discount).toBeUndefined();
    expect(call.text).toContain(`"prompt_tokens":${usage.input},"completion_tokens":${usage.output}`);
  });

  it.each(['anthropic-messages', 'openai-responses'] as const)('goes on for callers of %s', async (surface) => {
    const call = await ask({ max_tokens: 900 }, { surface });
    expect(call).toMatchObject({ ends: 1, failures: [] });
    const said = [...call.text.matchAll(/"(?:text|delta)":"( word\d+)"/g)].map(([, word]) => word);
    expect(said.slice(0, both.split(' ').length - 1).join('')).toBe(both);
    expect(call.event.usage.served?.parts).toMatchObject([{ model: 'acme/one' }]);
  });

  it('goes on with less of its limit', async () => {
    await ask({ max_tokens: 500 }, { maxOutputTokens: 500 });
    const { max_tokens: left } = JSON.parse((await second.visited(1)).body.toString()) as { max_tokens: number };
    expect(left).toBeLessThan(500);
    expect(left).toBeGreaterThan(400);
  });

  it('tries the place after one that cannot go on', async () => {
    const third = await startScriptedUpstream(goodChat());
    second.script = (visit) => answerJson(visit, 500, '{}');
    run = new ScriptedRun([`${first.url}/v1`, `${second.url}/v1`, `${third.url}/v1`], { retries: 0 });
    const call = await ask();
    await third.stop();
    expect(contentOf(call.text)).toBe(both);
    expect(call.event.attempts).toMatchObject([
      { provider: 'acme' },
      { provider: 'spare1', error: 'http_500' },
      { provider: 'spare2', goesOn: true },
    ]);
    expect(call.event.attempts[1]).not.toHaveProperty('goesOn');
  });
});

describe('a stream that breaks fails visibly', () => {
  const failed = {
    ends: 0,
    failures: [
      {
        code: 'upstream',
        status: 502,
        message: expect.stringMatching(/^acme (ended|closed) the stream before the answer was finished$/),
      },
    ],
  };

  async function expectFailure(asked: Promise<RecordedCall>, visits = 0): Promise<RecordedCall> {
    const call = await asked;
    expect(call).toMatchObject(failed);
    expect(call.text).not.toContain('[DONE]');
    expect(second.visits).toHaveLength(visits);
    return call;
  }

  it('where nobody wants it to go on', () => expectFailure(ask({}, { goesOn: false })));

  it('where its form is that of the whole', () => expectFailure(ask({ response_format: { type: 'json_object' } })));

  it('after a call has begun', async () => {
    first.script = (visit) => {
      beginStream(visit);
      const called = { index: 0, id: 'call_1', type: 'function', function: { name: 'write', arguments: '{' } };
      visit.response.end(chatChunk({ content: 'So' }) + chatChunk({ tool_calls: [called] }));
    };
    await expectFailure(ask());
  });

  it('where a guardrail refused what came', async () => {
    const rule = { id: 'word', kind: 'regex', action: 'block', patterns: ['word3'], appliesTo: 'output' };
    run = new ScriptedRun([`${first.url}/v1`, `${second.url}/v1`], { guardrails: [guardrail.parse(rule)] });
    const call = await ask();
    expect(call).toMatchObject({ ends: 0, failures: [{ code: 'refused', guardrail: 'word' }] });
    expect(second.visits).toHaveLength(0);
  });

  it('where there is no other place, and pays for what it got at the first', async () => {
    second.script = (visit) => answerJson(visit, 500, '{}');
    const { event, text } = await expectFailure(ask(), 2);
    expect(contentOf(text)).toBe(heard.join(''));
    expect(event).toMatchObject({
      model: 'acme/one',
      state: 'failed',
      usage: { served: { parts: [{ provider: 'acme' }] } },
    });
    const [part] = event.usage.served?.parts ?? [];
    expect(event.usage).toMatchObject({ input: part?.input, output: part?.output });
  });

  it.each<[string, UpstreamScript]>([
    ['broke the connection off', ({ response }) => void response.socket?.resetAndDestroy()],
    [
      'brought words and an error at once',
      (visit) => {
        beginStream(visit);
        visit.response.end(`${chatChunk({ content: 'unheard' })}data: {"error":{"message":"overloaded"}}\n\n`);
      },
    ],
  ])('and pays nothing of the other place, which %s', async (_, script) => {
    second.script = script;
    const { event, text } = await expectFailure(ask(), 2);
    expect(contentOf(text)).toBe(heard.join(''));
    const [part] = event.usage.served?.parts ?? [];
    expect(event).toMatchObject({ model: 'acme/one', usage: { input: part?.input, output: part?.output } });
    expect(event.attempts.slice(1)).toMatchObject([{ unbilled: {} }, { unbilled: {} }]);
  });

  it('where the question has a picture that the other place does not see', async () => {
    run = new ScriptedRun([`${first.url}/v1`, `${second.url}/v1`], { model: { inputModalities: ['text', 'image'] } });
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
    const call = await ask({ messages: [{ role: 'user', content: [image] }] });
    expect(call).toMatchObject({ ends: 0, failures: [{ status: 502 }] });
    expect(second.visits).toHaveLength(0);
  });

  it('when it breaks again: it goes on once', async () => {
    second.script = breaks;
    const call = await ask();
    expect(contentOf(call.text)).toBe([...heard, ...heard].join(''));
    expect(call.failures).toMatchObject([{ code: 'upstream', status: 502 }]);
    expect(call.event.usage.served?.parts).toMatchObject([{ model: 'acme/one' }]);
    expect(call.event.model).toBe('spare1/one');
  });
});
