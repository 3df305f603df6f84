import { parseRequestJson } from '../wire/request-json';
import { translationFor } from '../translations';
import { targetWith } from './target.fixture';

const messages = {
  max_tokens: 9,
  top_k: 40,
  min_p: 0.05,
  repetition_penalty: 1.1,
  chat_template_kwargs: { enable_thinking: false },
  thinking: { type: 'enabled', budget_tokens: 2_000 },
  messages: [{ role: 'user', content: 'Hi' }],
};
const responses = { input: 'Hi', top_k: 40, min_p: 0.05, chat_template_kwargs: { enable_thinking: false } };

function sent(surface: 'anthropic-messages' | 'openai-responses', body: object, operatorDefined: boolean) {
  const target = targetWith(false);
  const own = { ...target, provider: { ...target.provider, operatorDefined } };
  const bytes = Buffer.from(JSON.stringify({ model: 'm', ...body }));
  const { request } = translationFor(surface, 'openai-chat')?.prepare(bytes, own, { includeUsage: false }) ?? {};
  return { body: parseRequestJson(Buffer.concat(request?.body ?? [])), warnings: request?.warnings.join('\n') ?? '' };
}

describe('what servers of one own take beyond the format', () => {
  it('is kept, whichever surface brings it', () => {
    const { top_k, min_p, repetition_penalty, chat_template_kwargs } = messages;
    const fromMessages = sent('anthropic-messages', messages, true);
    expect(fromMessages.body).toMatchObject({ top_k, min_p, repetition_penalty, chat_template_kwargs });
    expect(fromMessages.warnings).not.toMatch(/top k|min_p/);
    expect(sent('openai-responses', responses, true).body).toMatchObject({ top_k, min_p, chat_template_kwargs });
  });

  it('reaches no provider that would refuse it, and the caller is told', () => {
    const { body, warnings } = sent('anthropic-messages', messages, false);
    expect(body).not.toHaveProperty('top_k');
    expect(body).not.toHaveProperty('min_p');
    expect(warnings).toMatch(/top k was dropped[^]*min_p was dropped/);
  });

  it('has reasoning, though nobody declared that the model reasons', () => {
    expect(sent('anthropic-messages', messages, true).body).toHaveProperty('reasoning_effort');
    expect(sent('anthropic-messages', messages, false).body).not.toHaveProperty('reasoning_effort');
  });
});
