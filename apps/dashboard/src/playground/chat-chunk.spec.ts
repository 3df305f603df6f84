import { withChunk } from './chat-chunk';
import { newAnswer } from './turns';
import type { AssistantTurn } from './turns';

const chunk = (delta: object) => JSON.stringify({ choices: [{ index: 0, delta }] });
const after = (...chunks: string[]) =>
  chunks.reduce<AssistantTurn>((answer, data, index) => withChunk(answer, data, (index + 1) * 100), newAnswer('a/b'));

describe('a streamed answer', () => {
  it('grows by its text and thoughts; the first content stops the clock', () => {
    const answer = after(
      chunk({ role: 'assistant', content: '' }),
      chunk({ reasoning_content: 'Hm. ' }),
      chunk({ content: 'Hel' }),
      chunk({ content: 'lo' }),
    );
    expect(answer).toMatchObject({ text: 'Hello', reasoning: 'Hm. ', measure: { firstTokenMs: 200 } });
  });

  it('puts tool calls together from their pieces', () => {
    const call = (index: number, id: string | undefined, called: object) =>
      chunk({ tool_calls: [{ index, id, function: called }] });
    const answer = after(
      call(0, 'c1', { name: 'get_weather', arguments: '' }),
      call(0, undefined, { arguments: '{"place":' }),
      call(1, 'c2', { name: 'get_time', arguments: '{}' }),
      call(0, undefined, { arguments: '"Bonn"}' }),
    );
    expect(answer.toolCalls).toEqual([
      { id: 'c1', name: 'get_weather', args: '{"place":"Bonn"}' },
      { id: 'c2', name: 'get_time', args: '{}' },
    ]);
  });

  it('takes the usage of the last chunk', () => {
    const usage = { prompt_tokens: 7, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 3 } };
    expect(after(JSON.stringify({ choices: [], usage })).measure).toMatchObject({
      inputTokens: 7,
      outputTokens: 5,
      cachedTokens: 3,
    });
  });

  it('fails with the words of an error in the stream', () =>
    expect(after(chunk({ content: 'Hel' }), '{"error":{"message":"The provider broke off."}}')).toMatchObject({
      text: 'Hel',
      state: 'failed',
      problem: 'The provider broke off.',
    }));

  it('is not changed by what cannot be read', () => expect(after('not json', '{"x":1}')).toEqual(newAnswer('a/b')));
});
