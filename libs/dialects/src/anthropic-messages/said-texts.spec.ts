import { translationFor } from '../translations';
import { parseRequestJson } from '../wire/request-json';
import { unsaidWarning } from './said-texts';
import { targetOf } from './target.fixture';

const mark = { type: 'ephemeral' };
const nothing = { type: 'text', text: '' };
const hello = { type: 'text', text: 'Hello.' };

function sent(messages: unknown[], more: object = {}, model = 'claude-sonnet-5-5') {
  const body = Buffer.from(JSON.stringify({ model: 'm', max_tokens: 9, messages, ...more }));
  const translation = translationFor('anthropic-messages', 'anthropic-messages');
  const request = translation?.prepare(body, targetOf(model), { includeUsage: false }).request;
  const bytes = Buffer.concat(request?.body ?? []);
  return { body: parseRequestJson(bytes) as Record<string, unknown>, warnings: request?.warnings ?? [] };
}

describe('a native request to Claude', () => {
  it('has no text of nothing, whose mark for the cache what stands before it takes', () => {
    const content = [nothing, hello, { ...nothing, cache_control: mark }];
    const { body, warnings } = sent([{ role: 'user', content }], { system: [{ ...nothing, cache_control: mark }] });
    expect(body.messages).toEqual([{ role: 'user', content: [{ ...hello, cache_control: mark }] }]);
    expect(body).not.toHaveProperty('system');
    expect(warnings).toEqual([unsaidWarning]);
  });

  it('marks no thought', () => {
    const thought = { type: 'thinking', thinking: 'Hm.', signature: 'abc' };
    const said = { role: 'assistant', content: [thought, { ...nothing, cache_control: mark }] };
    const { body } = sent([{ role: 'user', content: 'Hi.' }, said, { role: 'user', content: 'Go on.' }]);
    expect(body.messages).toMatchObject([{}, { content: [thought] }, {}]);
  });

  it('keeps a message that says nothing at all, and what another maker may take', () => {
    const messages = [{ role: 'user', content: [nothing] }];
    expect(sent(messages)).toMatchObject({ body: { messages }, warnings: [] });
    const others = [{ role: 'user', content: [hello, nothing] }];
    expect(sent(others, {}, 'glm-5.2')).toMatchObject({ body: { messages: others }, warnings: [] });
  });
});
