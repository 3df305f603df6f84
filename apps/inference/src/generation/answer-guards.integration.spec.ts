import { guardrail } from '@tollgate/contracts/catalog';
import type { Guardrail } from '@tollgate/contracts/catalog';
import type { FoundInHour } from '@tollgate/contracts/metering';
import {
  answerJson,
  asksForStream,
  beginStream,
  chatChunk,
  chatCompletion,
  chatEnding,
  chatUsage,
  startScriptedUpstream,
  type ScriptedUpstream,
} from '@tollgate/testing';
import { aBody, aRequest } from '../testing/fixtures';
import { RecordedCall } from '../testing/recorded-call';
import { ScriptedRun } from '../testing/scripted-run';

let upstream: ScriptedUpstream;
beforeEach(async () => {
  upstream = await startScriptedUpstream((visit) => answerJson(visit, 200, chatCompletion()));
});
afterEach(() => upstream.stop());

const spoken = 'The card is 4111 1111 1111 1111, and the word is open sesame. That was all there is to say about it.';
const pii = { id: 'personal', kind: 'pii', action: 'redact' };
const word = { id: 'word', kind: 'regex', patterns: ['open sesame'] };

/** Answers with the text, in pieces of `length` characters where it streams. */
function speak(text: string, length = 3): void {
  const pieces = text.match(new RegExp(`.{1,${length}}`, 'gs')) ?? [];
  upstream.script = (visit) => {
    if (!asksForStream(visit)) return answerJson(visit, 200, chatCompletion(text));
    beginStream(visit);
    visit.response.end(pieces.map((content) => chatChunk({ content })).join('') + chatEnding());
  };
}

async function run(
  rules: object[],
  stream: boolean,
  asked = new RecordedCall(aRequest({ stream }), aBody(stream)),
): Promise<RecordedCall & { logs: string; found: FoundInHour[] }> {
  const guardrails = rules.map((rule): Guardrail => guardrail.parse({ appliesTo: 'output', ...rule }));
  const scripted = new ScriptedRun([upstream.url], { guardrails });
  const call = await scripted.handle(asked);
  const found: FoundInHour[] = [];
  await scripted.findings.tell((hours) => Promise.resolve(found.push(...hours)));
  return Object.assign(call, { logs: scripted.logs.join('\n'), found });
}

/** The text of an answer, streamed or not. */
function textOf({ text }: RecordedCall): string {
  const values = text.startsWith('data:') ? (text.match(/^data: \{.*$/gm) ?? []) : [`data: ${text}`];
  return values
    .map(
      (value) =>
        JSON.parse(value.slice(6)) as { choices: { delta?: { content?: string }; message?: { content: string } }[] },
    )
    .map(({ choices: [choice] }) => choice?.delta?.content ?? choice?.message?.content ?? '')
    .join('');
}

describe.each([false, true])('an answer under a guardrail, stream %s', (stream) => {
  it('is redacted wherever it was cut, ends well, and is billed as the provider told', async () => {
    speak(spoken);
    const call = await run([pii], stream);
    expect(textOf(call)).toBe(spoken.replace('4111 1111 1111 1111', '[redacted:credit-card]'));
    if (stream) expect(call.text.endsWith('data: [DONE]\n\n')).toBe(true);
    expect(call.ends).toBe(1);
    expect(call.event).toMatchObject({
      state: 'completed',
      estimated: false,
      usage: { input: chatUsage.prompt_tokens, output: chatUsage.completion_tokens },
    });
    expect(call.logs).toContain('"guardrail":"personal","action":"redact"');
    expect(call.logs).not.toContain('4111');
  });

  it('is redacted in whatever writing', async () => {
    const other = 'data: 4\u200b1\u200b11 １１１１ 1111 1111, оpen sеsame.';
    for (const length of [1, 4, 1_000]) {
      speak(`Well: ${other} That was it.`, length);
      const call = await run([pii, { ...word, action: 'redact' }], stream);
      expect(textOf(call)).toBe('Well: data: [redacted:credit-card], [redacted:word]. That was it.');
    }
  });

  it('that is blocked is refused, and what was generated is billed', async () => {
    speak(spoken);
    const call = await run([{ ...word, action: 'block' }], stream);
    expect(call.text).not.toContain('sesame');
    expect(call.failures).toEqual([
      {
        code: 'refused',
        status: 400,
        message: 'The answer was blocked by the guardrail word.',
        retryAfterS: null,
        guardrail: 'word',
      },
    ]);
    expect(call.attempts).toHaveLength(1);
    expect(call.event.state).toBe('failed');
    expect(call.event.usage.output).toBeGreaterThan(10);
    if (!stream)
      expect(call.event).toMatchObject({
        estimated: false,
        usage: { input: chatUsage.prompt_tokens, output: chatUsage.completion_tokens },
      });
  });

  it('that is only flagged is as it was', async () => {
    speak(spoken);
    const call = await run([{ ...word, action: 'flag' }], stream);
    expect(textOf(call)).toBe(spoken);
    expect(call.ends).toBe(1);
    expect(call.logs).toContain('"guardrail":"word","action":"flag"');
    expect(call.found).toMatchObject([{ guardrail: 'word', side: 'output', action: 'flag', count: 1 }]);
  });
});

it('a stream that is blocked late has told what came before, and nothing of the match', async () => {
  const begin = 'A long beginning that nobody minds at all. '.repeat(20);
  const call = new RecordedCall(aRequest({ stream: true }), aBody(true));
  const told = new Promise<unknown>((resolve) => (call.onWrite = resolve));
  upstream.script = async (visit) => {
    beginStream(visit);
    visit.response.write(chatChunk({ content: begin }));
    await told;
    visit.response.end(chatChunk({ content: spoken }) + chatEnding());
  };
  await run([{ ...word, action: 'block' }], true, call);
  expect(call.heads).toHaveLength(1);
  expect(textOf(call).length).toBeGreaterThan(600);
  expect((begin + spoken).startsWith(textOf(call))).toBe(true);
  expect(call.text).not.toContain('[DONE]');
  expect(call.failures).toMatchObject([{ status: 400, guardrail: 'word' }]);
});

it('a guardrail of another model or key leaves the bytes of an answer as they came', async () => {
  speak(spoken);
  for (const other of [{ keys: ['another'] }, { models: ['another/*'] }, { appliesTo: 'input' }]) {
    const call = await run([{ ...pii, ...other }], false);
    expect(call.text).toBe(chatCompletion(spoken));
  }
});
