import type { GenerationSurface } from '@tollgate/contracts';
import { callers } from '@tollgate/testing';
import { TranslatedCalls } from './translated-calls.fixture';
import type { Place } from './translated-calls.fixture';

let calls: TranslatedCalls;
beforeAll(async () => {
  calls = await TranslatedCalls.start();
});
afterAll(() => calls.close());

const limit = 20;
const limits: Partial<Record<GenerationSurface, string>> = {
  'openai-chat': 'max_completion_tokens',
  'anthropic-messages': 'max_tokens',
  'openai-responses': 'max_output_tokens',
};
const argon: Place = { dialect: 'gemini', model: 'gemini-4-argon', temperature: false };
const cases = callers.flatMap((caller) => [false, true].map((stream) => [caller.surface, stream, caller] as const));

interface Sent {
  contents: object[];
  generationConfig?: { maxOutputTokens?: number };
  continuationToken?: string;
}

// https://ai.google.dev/gemini-api/docs/generate-content/long-decode
describe.each(cases)('a long answer of Argon for a caller of %s (stream: %s)', (surface, stream, caller) => {
  const history = surface === 'openai-responses' ? 'input' : 'messages';
  const asked: Record<string, unknown> = {
    ...caller.ask('[[sandbox: tokens=100]] tell it all', { stream }),
    [limits[surface] ?? '']: limit,
  };
  const said = Array.isArray(asked[history]) ? (asked[history] as unknown[]) : [];
  const send = async (more: object[], place = argon) => {
    const body = { ...asked, [history]: [...said, ...more] };
    const { attempt, answer, received, sent } = await calls.send(surface, place, body);
    const reader = attempt.answerReader();
    const text = Buffer.concat([reader.push(received), reader.end()]).toString();
    if (answer.status !== 200) throw new Error(`${Buffer.from(received).toString()} for ${sent}`);
    const { warnings } = attempt.request;
    return {
      ...caller.read(text, stream),
      text,
      sent: JSON.parse(sent) as Sent,
      output: reader.usage?.output,
      warnings,
    };
  };

  it('stops at its limit, and goes on where it stopped when the answer is sent back', async () => {
    const first = await send([]);
    expect(first.output).toBe(limit);
    expect(first.text).toMatch(/"finish_reason":"length"|"stop_reason":"max_tokens"|"reason":"max_output_tokens"/);
    const second = await send(first.message);
    expect(second.sent).toMatchObject({
      contents: first.sent.contents,
      continuationToken: expect.stringMatching(/~~20$/) as string,
      generationConfig: { maxOutputTokens: 2 * limit },
    });
    const third = await send([...first.message, ...second.message]);
    expect(third.sent).toMatchObject({
      contents: first.sent.contents,
      continuationToken: expect.stringMatching(/~~40$/) as string,
      generationConfig: { maxOutputTokens: 3 * limit },
    });
  });

  it('is a part of the conversation once something else is asked, or another model', async () => {
    const first = await send([]);
    const asking = await send([...first.message, { role: 'user', content: 'Enough. And then?' }]);
    expect(asking.sent.continuationToken).toBeUndefined();
    expect(asking.sent.contents).toHaveLength(first.sent.contents.length + 2);
    const other = await send(first.message, { ...argon, model: 'gemini-4-carbon' });
    expect(other.sent.continuationToken).toBeUndefined();
    expect(other.warnings).toContain('where the answer stopped was dropped: another model or provider made it');
    for (const { sent } of [asking, other]) expect(JSON.stringify(sent)).not.toContain('~~20');
  });
});
