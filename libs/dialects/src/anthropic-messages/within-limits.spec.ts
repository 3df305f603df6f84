import { translationFor } from '../translations';
import { parseRequestJson } from '../wire/request-json';
import { targetOf } from './target.fixture';

type Surface = 'anthropic-messages' | 'openai-chat';

function send(surface: Surface, body: object, model = 'claude-sonnet-4-5') {
  const bytes = Buffer.from(JSON.stringify({ model: 'a', messages: [{ role: 'user', content: 'hi' }], ...body }));
  const translation = translationFor(surface, 'anthropic-messages');
  const { request } = translation?.prepare(bytes, targetOf(model), { includeUsage: false }) ?? {};
  return { sent: parseRequestJson(Buffer.concat(request?.body ?? [])), warnings: request?.warnings };
}

const digest = expect.stringMatching(/^[0-9a-f]{64}$/) as string;

it.each<[Surface, (user: string) => object]>([
  ['anthropic-messages', (user) => ({ max_tokens: 9, metadata: { user_id: user } })],
  ['openai-chat', (user) => ({ user })],
])('names an end user by a digest where Claude takes no name so long (%s)', (surface, body) => {
  const long = send(surface, body('u'.repeat(257)));
  expect(long.sent).toMatchObject({ metadata: { user_id: digest } });
  expect(long.warnings).toEqual(['the end user became a digest of it: at most 256 characters are taken']);
  const short = send(surface, body('u'.repeat(256)));
  expect(short).toMatchObject({ sent: { metadata: { user_id: 'u'.repeat(256) } }, warnings: [] });
});

it('leaves room for the answer beside the thoughts where the limit of the output was lowered', () => {
  const thinking = { type: 'enabled', budget_tokens: 90_000 };
  const { sent, warnings } = send('anthropic-messages', { max_tokens: 100_000, thinking });
  expect(sent).toMatchObject({ max_tokens: 64_000, thinking: { type: 'enabled', budget_tokens: 63_999 } });
  expect(warnings).toEqual([
    'the output limit of 100000 tokens became 64000: this model writes no more',
    'the reasoning budget of 90000 tokens became 63999: it must be less than the output limit',
  ]);
  const fitting = { type: 'enabled', budget_tokens: 8_000 };
  expect(send('anthropic-messages', { max_tokens: 100_000, thinking: fitting }).sent).toMatchObject({
    max_tokens: 64_000,
    thinking: fitting,
  });
});

it('changes nothing of a model of another maker', () => {
  const body = { max_tokens: 9, metadata: { user_id: 'u'.repeat(300) } };
  expect(send('anthropic-messages', body, 'deepseek-v4-pro')).toMatchObject({ sent: body, warnings: [] });
});
