import type { DialectName } from '@tollgate/contracts';
import { translationFor } from '../translations';
import { openaiChatSurfaceCodec } from './surface-codec';
import { targetWith } from './target.fixture';

const named = (name: string) => ({ type: 'function', function: { name } });
const tools = ['read', 'write', 'search'].map(named);
/** As Pydantic AI asks where a list of tools is chosen. https://github.com/pydantic/pydantic-ai/pull/3611 */
const choose = (mode: string, ...names: string[]) => ({
  type: 'allowed_tools',
  allowed_tools: { mode, tools: names.map(named) },
});

function sent(dialect: DialectName, choice: object, quirks = {}): unknown {
  const asked = { model: 'a', messages: [{ role: 'user', content: 'hi' }], tools, tool_choice: choice };
  const { request } =
    translationFor('openai-chat', dialect)?.prepare(Buffer.from(JSON.stringify(asked)), targetWith(false, quirks), {
      includeUsage: false,
    }) ?? {};
  return JSON.parse(Buffer.concat(request?.body ?? []).toString());
}

describe('a choice among some tools', () => {
  it.each(['auto', 'required'])('leaves the others out: %s', (mode) => {
    const request = openaiChatSurfaceCodec.fromRequest({ messages: [], tools, tool_choice: choose(mode, 'write') });
    expect(request).toMatchObject({ tools: [{ name: 'write' }], toolChoice: { type: mode }, unread: [] });
  });

  it('is told so to models of every other dialect', () => {
    const choice = choose('required', 'read', 'search');
    expect(sent('anthropic-messages', choice)).toMatchObject({
      tools: [{ name: 'read' }, { name: 'search' }],
      tool_choice: { type: 'any' },
    });
    expect(sent('openai-responses', choice)).toMatchObject({
      tools: [{ name: 'read' }, { name: 'search' }],
      tool_choice: 'required',
    });
  });

  it('passes to OpenAI, and is made of fewer tools where no provider of its dialect knows it', () => {
    const choice = choose('auto', 'search');
    expect(sent('openai-chat', choice, { customTools: '^gpt-' })).toMatchObject({ tools, tool_choice: choice });
    expect(sent('openai-chat', choice)).toMatchObject({ tools: [named('search')], tool_choice: 'auto' });
  });

  it('names a tool that there is', () => {
    const ask = (choice: object) => openaiChatSurfaceCodec.fromRequest({ messages: [], tools, tool_choice: choice });
    expect(() => ask(choose('auto', 'none such'))).toThrow("'tool_choice.allowed_tools.tools'");
    expect(() => ask({ type: 'allowed_tools' })).toThrow("'tool_choice.type'");
  });
});
