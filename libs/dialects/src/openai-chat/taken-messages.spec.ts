import type { UpstreamTarget } from '../provider-dialect';
import { membersOf } from '../wire/splice-object';
import { openaiChatSurfaceCodec } from './surface-codec';
import { targetWith } from './target.fixture';
import { takenMessages } from './taken-messages';

const mark = { type: 'ephemeral' };
const said = {
  role: 'assistant',
  content: [{ type: 'text', text: 'a', cache_control: mark }],
  reasoning_content: 'Hm.',
  tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' }, cache_control: mark }],
  cache_control: mark,
};

function takenFrom(body: object, target: UpstreamTarget) {
  const bytes = Buffer.from(JSON.stringify(body));
  return takenMessages(bytes, membersOf(bytes), target);
}

function taken(body: object, quirks: Parameters<typeof targetWith>[1], reasoning = true) {
  const target = targetWith(false, quirks);
  const capabilities = { ...target.model.capabilities, reasoning };
  return takenFrom(body, { ...target, model: { ...target.model, capabilities } });
}

describe('messages for another provider of the same dialect', () => {
  const refused = { dropMessageFields: ['reasoning_content', 'reasoning_details', 'cache_control'] };

  it('lose what it refuses, in the message, its parts and its calls, and the caller is told', () => {
    const { messages, warnings } = taken({ messages: [{ role: 'user', content: 'x' }, said] }, refused);
    expect(messages).toEqual([
      { role: 'user', content: 'x' },
      {
        role: 'assistant',
        content: [{ type: 'text', text: 'a' }],
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
    ]);
    expect(warnings).toEqual([
      'reasoning_content of messages was dropped: Acme does not take it',
      'cache_control of messages was dropped: Acme does not take it',
    ]);
  });

  it('lose what an answer left empty without a word, and a refusal is what was said', () => {
    const fields = { dropMessageFields: ['name', 'refusal', 'annotations'] };
    const messages = [
      { role: 'assistant', content: 'a', refusal: null, annotations: [] },
      { role: 'assistant', content: null, refusal: 'No.' },
      { role: 'assistant', content: [], refusal: 'Nor this.' },
      { role: 'user', content: 'x', name: 'Ada' },
      { role: 'tool', tool_call_id: 'c', name: 'f', content: 'r' },
    ];
    expect(taken({ messages }, fields)).toEqual({
      messages: [
        { role: 'assistant', content: 'a' },
        { role: 'assistant', content: 'No.' },
        { role: 'assistant', content: 'Nor this.' },
        { role: 'user', content: 'x' },
        messages[4],
      ],
      warnings: ['name of messages was dropped: Acme does not take it'],
    });
  });

  it("lose what OpenAI's clients add to the answers that they hand out, in the functions of calls, too", () => {
    const fields = { dropMessageFields: ['name', 'parsed', 'parsed_arguments'] };
    const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } };
    const added = { ...call, function: { ...call.function, parsed_arguments: null } };
    const messages = [{ role: 'assistant', content: null, parsed: null, tool_calls: [added] }];
    expect(taken({ messages }, fields)).toEqual({
      messages: [{ role: 'assistant', content: null, tool_calls: [call] }],
      warnings: [],
    });
  });

  it('say in parts what was refused, and keep there what is refused of a message alone', () => {
    const fields = { dropMessageFields: ['name', 'refusal', 'audio', 'cache_control'] };
    const sound = { type: 'audio', audio: { id: 'a' } };
    const content = [{ type: 'refusal', refusal: 'No.' }, { type: 'text', text: 'b', cache_control: mark }, sound];
    expect(taken({ messages: [{ role: 'assistant', content, audio: { id: 'a' } }] }, fields)).toEqual({
      messages: [{ role: 'assistant', content: [{ type: 'text', text: 'No.' }, { type: 'text', text: 'b' }, sound] }],
      warnings: [
        'audio of messages was dropped: Acme does not take it',
        'cache_control of messages was dropped: Acme does not take it',
      ],
    });
  });

  it('that lost all they said do not reach Mistral', () => {
    const quirks = { dropMessageFields: ['audio'], mistralTurns: '.' };
    const user = { role: 'user', content: 'x' };
    const messages = [user, { role: 'assistant', content: null, audio: { id: 'a' } }, user];
    expect(taken({ messages }, quirks)).toEqual({
      messages: [user, user],
      warnings: [
        'audio of messages was dropped: Acme does not take it',
        'an empty message of the assistant was dropped: this model takes none',
      ],
    });
  });

  it('are not looked at for the names of tools', () => {
    const fields = { dropMessageFields: ['name'] };
    const spied = jest.spyOn(JSON, 'parse');
    const tools = [{ type: 'function', function: { name: 'f' } }];
    expect(taken({ tools, messages: [{ role: 'user', content: 'x' }] }, fields).messages).toBeNull();
    expect(spied).not.toHaveBeenCalled();
    spied.mockRestore();
  });

  it('are left as they are where it takes all of them, also where a text speaks of a field', () => {
    expect(taken({ messages: [said] }, {})).toEqual({ messages: null, warnings: [] });
    const spoken = { messages: [{ role: 'user', content: 'what is "cache_control"?' }] };
    expect(taken(spoken, refused)).toEqual({ messages: null, warnings: [] });
  });

  it('have something where it insists on reasoning that the caller did not keep, if tools are offered', () => {
    const placeholder = { insistsOnReasoning: ['large'] };
    const messages = [{ role: 'user', content: 'x' }, { role: 'assistant', content: 'a' }, said];
    const filled = [messages[0], { role: 'assistant', content: 'a', reasoning_content: ' ' }, said];
    expect(taken({ tools: [{}], messages }, placeholder).messages).toEqual(filled);
    expect(taken({ tools: [], messages }, placeholder).messages).toBeNull();
    expect(taken({ tools: [{}], messages }, placeholder, false).messages).toBeNull();
    expect(taken({ tools: [{}], messages }, { insistsOnReasoning: ['small'] }).messages).toBeNull();
    expect(taken({ tools: [{}], messages }, { insistsOnReasoning: [''] }).messages).toEqual(filled);
  });

  it("have OpenAI's newer word for a system message where it knows that", () => {
    const body = {
      messages: [
        { role: 'developer', content: 'd' },
        { role: 'user', content: '"developer"' },
      ],
    };
    expect(taken(body, {}).messages).toBeNull();
    expect(taken(body, { systemForDeveloper: 'small' }).messages).toBeNull();
    expect(taken(body, { systemForDeveloper: '.' })).toEqual({
      messages: [{ role: 'system', content: 'd' }, body.messages[1]],
      warnings: [],
    });
  });

  it('have the ids and the order of Mistral where it insists on them', () => {
    const messages = [
      { role: 'user', content: 'x' },
      { role: 'assistant', content: 'a' },
      { role: 'developer', content: 'd' },
    ];
    const quirks = { mistralTurns: '.', systemForDeveloper: '.' };
    expect(taken({ messages }, quirks).messages).toEqual([...messages.slice(0, 2), { role: 'user', content: 'd' }]);
    expect(taken({ messages }, { mistralTurns: 'small' }).messages).toBeNull();
  });

  it('have the short ids of calls that models of OpenAI take, calls and results alike', () => {
    const id = `fc_${'0'.repeat(50)}`;
    const called = (callId: string) => [
      { role: 'assistant', tool_calls: [{ id: callId, type: 'function', function: { name: 'f', arguments: '{}' } }] },
      { role: 'tool', tool_call_id: callId, content: 'found' },
    ];
    const at = (upstreamModel: string, messages: object[], operatorDefined = false) => {
      const target = targetWith(false);
      return takenFrom(
        { messages },
        {
          ...target,
          upstreamModel,
          provider: { ...target.provider, operatorDefined },
        },
      );
    };
    const { messages, warnings } = at('gpt-5.1', called(id));
    const short: unknown = expect.stringMatching(/^[0-9a-f]{40}$/);
    expect(messages).toEqual([
      { role: 'assistant', tool_calls: [expect.objectContaining({ id: short })] },
      { role: 'tool', tool_call_id: short, content: 'found' },
    ]);
    expect(new Set(JSON.stringify(messages).match(/[0-9a-f]{40}/g)).size).toBe(1);
    expect(warnings).toEqual([]);
    expect(at('openai/gpt-5.1', called(id)).messages).toEqual(messages);
    expect(at('gpt-5.1', called('c'.repeat(40))).messages).toBeNull();
    expect(at('openai/gpt-oss-120b', called(id)).messages).toBeNull();
    expect(at('gpt-5.1', called(id), true).messages).toBeNull();
  });

  it('have the thoughts of Mistral beside what was said, or lose them, where parts of that kind are refused', () => {
    const thought = { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }], closed: true };
    const text = { type: 'text', text: 'a' };
    const messages = [
      { role: 'user', content: 'What is "thinking"?' },
      { role: 'assistant', content: [thought, text] },
    ];
    expect(taken({ messages }, {}).messages?.[1]).toEqual({
      role: 'assistant',
      content: [text],
      reasoning_content: 'Hm.',
    });
    expect(taken({ messages }, refused)).toEqual({
      messages: [messages[0], { role: 'assistant', content: [text] }],
      warnings: ['reasoning_content of messages was dropped: Acme does not take it'],
    });
    expect(taken({ messages }, { mistralTurns: '.' }).messages).toBeNull();
    expect(openaiChatSurfaceCodec.fromRequest({ messages }).messages[1]?.parts).toEqual([
      { type: 'reasoning', text: 'Hm.' },
      text,
    ]);
  });

  it('keep the reasoning on which the model insists, also where its provider takes none of others', () => {
    const kept = taken({ tools: [{}], messages: [said] }, { ...refused, insistsOnReasoning: ['large'] });
    expect(kept.messages).toEqual([expect.objectContaining({ reasoning_content: 'Hm.' })]);
    expect(kept.warnings).toEqual(['cache_control of messages was dropped: Acme does not take it']);
  });
});
