import { translationFor } from '../translations';
import { parseRequestJson } from '../wire/request-json';
import { targetWith } from './target.fixture';

/** What a provider of chat completions gets of a messages request with these turns. */
function sent(messages: readonly object[]): unknown {
  const body = Buffer.from(JSON.stringify({ model: 'a', max_tokens: 20, messages }));
  const { request } =
    translationFor('anthropic-messages', 'openai-chat')?.prepare(body, targetWith(false), { includeUsage: false }) ??
    {};
  return parseRequestJson(Buffer.concat(request?.body ?? []));
}

const question = { role: 'user', content: 'Hi' };
const call = { type: 'tool_use', id: 'call_1', name: 'look', input: {} };

// "all messages must have non-empty content except for the optional final assistant message":
// https://github.com/anthropics/claude-code/issues/6774
it('says nothing where the last turn is the assistant’s and empty', () => {
  expect(sent([question, { role: 'assistant', content: [] }])).toMatchObject({
    messages: [question, { role: 'assistant', content: '' }],
  });
});

it('says null beside calls alone', () => {
  expect(sent([question, { role: 'assistant', content: [call] }])).toMatchObject({
    messages: [question, { role: 'assistant', content: null, tool_calls: [{ id: 'call_1' }] }],
  });
});
