import { answerJson, goodChat, startScriptedUpstream } from '@tollgate/testing';
import type { ScriptedUpstream } from '@tollgate/testing';
import { aRequest } from '../testing/fixtures';
import { RecordedCall } from '../testing/recorded-call';
import { ScriptedRun } from '../testing/scripted-run';

let first: ScriptedUpstream;
let second: ScriptedUpstream;
beforeEach(async () => {
  first = await startScriptedUpstream(goodChat());
  second = await startScriptedUpstream(goodChat());
});
afterEach(() => Promise.all([first.stop(), second.stop()]));

const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(800_000)}` } };
const picture = { role: 'user', content: [image] };
const said = { role: 'assistant', content: 'A gate.' };
const next = { role: 'user', content: 'Go on.' };
const words = 'This model cannot see images.';
const sees = { inputModalities: ['text' as const, 'image' as const] };

/** The model that is asked sees, or does not; the one that stands in for it does not. */
async function asked(
  messages: object[],
  model: typeof sees | object,
  about: { kind?: 'generate' | 'count_tokens'; surface?: 'openai-chat' | 'anthropic-messages' } = {},
) {
  const call = new RecordedCall(aRequest(about), Buffer.from(JSON.stringify({ model: 'acme/one', messages })));
  const run = new ScriptedRun([first.url, second.url], { retries: 0, model });
  await run.handle(call);
  await run.threads.close();
  return call;
}

function sentTo({ visits }: ScriptedUpstream): string {
  return String(visits[0]?.body);
}

function failing(upstream: ScriptedUpstream): void {
  upstream.script = (visit) => answerJson(visit, 500, '{"error":{"message":"no"}}');
}

describe('a picture of an earlier turn', () => {
  it('is words for a model that does not see, which its caller is told', async () => {
    const { heads } = await asked([picture, said, next], {});
    expect(sentTo(first)).toContain(words);
    expect(sentTo(first)).not.toContain('AAAA');
    expect(heads[0]?.headers['x-gateway-warnings']).toBe(
      'images of earlier turns and of tools became words: acme/one does not take images',
    );
  });

  it('reaches the place that sees, and as words the one behind it that does not', async () => {
    failing(first);
    const { heads } = await asked([picture, said, next], sees);
    expect(sentTo(first)).toContain('AAAA');
    expect(sentTo(second)).toContain(words);
    expect(heads[0]?.headers['x-gateway-warnings']).toContain('spare1/one does not take images');
  });

  it('is words also where a thread translates a large request', async () => {
    const source = { type: 'base64', media_type: 'image/png', data: 'A'.repeat(800_000) };
    const content = [{ type: 'tool_result', tool_use_id: 'a', content: [{ type: 'image', source }] }];
    const use = { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'read', input: {} }] };
    const { heads } = await asked([next, use, { role: 'user', content }], {}, { surface: 'anthropic-messages' });
    expect(sentTo(first)).toContain(words);
    expect(heads[0]?.headers['x-gateway-warnings']).toContain('acme/one does not take images');
  });

  it('counts as those words where tokens are only counted', async () => {
    const { text } = await asked([picture, said, next], {}, { kind: 'count_tokens' });
    const seen = await asked([picture, said, next], sees, { kind: 'count_tokens' });
    const tokens = [text, seen.text].map((told) => (JSON.parse(told) as { input_tokens: number }).input_tokens);
    expect(tokens[0]).toBeLessThan(60);
    expect(tokens[1]).toBeGreaterThan(700);
  });
});

it('a picture in what is asked now goes to no place that does not see', async () => {
  failing(first);
  const { failures } = await asked([next, said, picture], sees);
  expect(second.visits).toHaveLength(0);
  expect(failures).toMatchObject([{ status: 502 }]);
});
