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

const png = 'A'.repeat(8);
const block = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } };
const call = { id: 'a', type: 'function', function: { name: 'read', arguments: '{}' } };
const loops = {
  'openai-chat': {
    list: 'messages',
    turns: [
      next,
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'a', content: [image] },
    ],
  },
  'anthropic-messages': {
    list: 'messages',
    turns: [
      next,
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'read', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: [block] }] },
    ],
  },
  'openai-responses': {
    list: 'input',
    turns: [
      next,
      { type: 'function_call', call_id: 'a', name: 'read', arguments: '{}' },
      {
        type: 'function_call_output',
        call_id: 'a',
        output: [{ type: 'input_image', image_url: `data:image/png;base64,${png}` }],
      },
    ],
  },
};

describe.each(['openai-chat', 'anthropic-messages', 'openai-responses'] as const)(
  'a picture that a tool has just read (%s)',
  (surface) => {
    const run = async (lastModel: typeof sees | object, more: object[] = []) => {
      failing(first);
      const third = await startScriptedUpstream(goodChat());
      const { list, turns } = loops[surface];
      const body = { model: 'acme/one', max_tokens: 99, [list]: [...turns, ...more] };
      const call = new RecordedCall(aRequest({ surface }), Buffer.from(JSON.stringify(body)));
      const places = new ScriptedRun([first.url, second.url, third.url], { retries: 0, model: sees, lastModel });
      await places.handle(call);
      await places.threads.close();
      await third.stop();
      return { warnings: call.heads[0]?.headers['x-gateway-warnings'], second: second.visits.length, third };
    };

    it('goes to the fallback that sees, before one that does not', async () => {
      const { second: visits, third, warnings } = await run(sees);
      expect(visits).toBe(0);
      expect(sentTo(third)).toContain('AAAA');
      expect(warnings ?? '').not.toContain('images');
    });

    it('is words where none sees, and its caller is told', async () => {
      const { second: visits, warnings } = await run({});
      expect(visits).toBe(1);
      expect(sentTo(second)).toContain(words);
      expect(warnings).toContain('spare1/one does not take images');
    });

    it('changes the order of fallbacks no more once the model has answered to it', async () => {
      const answered = [{ role: 'assistant', content: 'A gate.' }, next];
      expect(await run(sees, answered)).toMatchObject({ second: 1 });
    });
  },
);

it('a picture in what is asked now goes to no place that does not see', async () => {
  failing(first);
  const { failures } = await asked([next, said, picture], sees);
  expect(second.visits).toHaveLength(0);
  expect(failures).toMatchObject([{ status: 502 }]);
});
