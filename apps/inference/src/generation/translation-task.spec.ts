import { memoryOf, translationOf } from './translation-task';
import { aModel, aProvider } from '../testing/fixtures';

const target = { model: aModel(), provider: aProvider(), upstreamModel: 'm', stream: false };

function answerTo(content: string) {
  const body = Buffer.from(JSON.stringify({ model: 'm', max_tokens: 9, messages: [{ role: 'user', content }] }));
  return translationOf({ surface: 'anthropic-messages', provider: 'openai-chat', compacts: false, body, target });
}

it('hands over the memory of what it translated, but for what lies beside others’ in the pool of Node', () => {
  expect(memoryOf(answerTo('x'.repeat(100_000)))).toHaveLength(1);
  const small = answerTo('hi');
  expect(small.failure).toBeUndefined();
  expect(memoryOf(small)).toEqual([]);
});
