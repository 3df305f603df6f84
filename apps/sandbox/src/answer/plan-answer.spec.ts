import { countTextTokens } from '@tollgate/dialects';
import { plainBehaviour } from '../behaviour/behaviour';
import { inputOf } from '../request/input-text';
import { unasked } from '../request/neutral-request';
import type { NeutralRequest } from '../request/neutral-request';
import { textOf, tokensOf } from './pieces';
import { planAnswer } from './plan-answer';
import type { PlannedBlock } from './planned-answer';
import { words } from './logprobs';

const request = (extra: Partial<NeutralRequest> = {}): NeutralRequest => ({
  ...unasked,
  model: 'm',
  stream: false,
  userText: 'hello',
  resultRounds: [],
  ...inputOf('hello'),
  ...extra,
});

const tool = {
  name: 'get_weather',
  schema: { type: 'object', properties: { city: { type: 'string' }, unit: { enum: ['c', 'f'] } } },
};

function textIn(blocks: readonly PlannedBlock[], type: PlannedBlock['type']): string {
  return blocks.map((block) => (block.type === type ? textOf(block.pieces) : '')).join('|');
}

it('calls the tool that is demanded, whatever was scripted', () => {
  const demanded = request({ tools: [tool], toolChoice: { name: 'get_weather' } });
  const [answer] = planAnswer(demanded, 'hello', { ...plainBehaviour, script: [[]] });
  expect(answer.blocks).toMatchObject([{ type: 'tool-call', name: 'get_weather' }]);
  const [free] = planAnswer({ ...demanded, toolChoice: 'auto' }, 'hello', { ...plainBehaviour, script: [[]] });
  expect(free.blocks).toMatchObject([{ type: 'text' }]);
});

it('gives calls new ids as a conversation grows, also where its turns stand before many tools', () => {
  const definitions = 'a tool and what it takes; '.repeat(4_000);
  const ids = ['', 'called once', 'called once, called twice'].map((turns) => {
    const asked = request({
      tools: [tool],
      toolChoice: 'required',
      ...inputOf(`${definitions}${turns}${definitions}`),
    });
    const [{ blocks }] = planAnswer(asked, 'hello', plainBehaviour);
    return blocks.map((block) => (block.type === 'tool-call' ? block.id : ''));
  });
  expect(new Set(ids.flat()).size).toBe(3);
});

it('has a vocabulary in which every word is one token behind a space', () => {
  expect(words.filter((word) => countTextTokens(` ${word}`) !== 1)).toEqual([]);
  expect(new Set(words).size).toBe(words.length);
});

it.each(['hello there', 'Grüße aus Köln!', 'どうして空は青いの', '1 2 3 <|endoftext|> "x"', ''])(
  'writes answers whose pieces are their tokens, whatever was asked: %s',
  (userText) => {
    const [answer] = planAnswer(request(), userText, { ...plainBehaviour, tokens: 300 });
    const [block] = answer.blocks;
    expect(answer.outputTokens).toBe(300);
    expect(block?.pieces).toHaveLength(300);
    expect(countTextTokens(textOf(block?.pieces ?? []))).toBe(300);
  },
);

it('counts what a stop sequence leaves, also in the middle of a word, and tells the one that came first', () => {
  const [answer] = planAnswer(request({ stops: ['zzz', 'rd hello and', 'rd hel'] }), 'hello', plainBehaviour);
  expect(textIn(answer.blocks, 'text')).toBe('The sandbox hea');
  expect(answer).toMatchObject({ finish: 'stop-sequence', stopSequence: 'rd hello and' });
  expect(answer.outputTokens).toBe(countTextTokens('The sandbox hea'));
});

it('calls a demanded tool whose bits are its arguments and whose tokens are its whole', () => {
  const [answer] = planAnswer(request({ tools: [tool], toolChoice: 'required' }), '', plainBehaviour);
  expect(textIn(answer.blocks, 'tool-call')).toBe('{"city":"example","unit":"c"}');
  expect(answer.finish).toBe('tool-calls');
  expect(answer.outputTokens).toBe(countTextTokens('get_weather') + countTextTokens('{"city":"example","unit":"c"}'));
});

it.each([
  ['get_weather now', null],
  ['hello', null],
  ['hello', 2],
])('calls the last tool that is left where a call is demanded behind the wanted ones: %s, %s', (userText, calls) => {
  const tools = [tool, { ...tool, name: 'add' }, { ...tool, name: 'json' }];
  const called = (rounds: number) => {
    const asked = request({ tools, toolChoice: 'required', resultRounds: Array.from({ length: rounds }, () => ['7']) });
    const [answer] = planAnswer(asked, userText, { ...plainBehaviour, calls });
    return answer.blocks.map((block) => (block.type === 'tool-call' ? block.name : ''));
  };
  const wanted = calls ?? 1;
  expect([0, wanted - 1, wanted, wanted + 1].map(called)).toEqual([
    ['get_weather'],
    ['get_weather'],
    ['json'],
    ['json'],
  ]);
});

it('calls the only tool again where a call is demanded', () => {
  const asked = request({ tools: [tool], toolChoice: 'required', resultRounds: [['7']] });
  const [answer] = planAnswer(asked, 'get_weather', plainBehaviour);
  expect(answer.blocks).toMatchObject([{ type: 'tool-call', name: 'get_weather' }]);
});

it('calls all tools that the user names at once, but only one where calls may not be parallel', () => {
  const tools = [tool, { ...tool, name: 'add' }];
  const [both] = planAnswer(request({ tools }), 'get_weather then add', plainBehaviour);
  const [one] = planAnswer(request({ tools, takesParallelCalls: false }), 'get_weather then add', plainBehaviour);
  expect(both.blocks).toHaveLength(2);
  expect(one.blocks).toHaveLength(1);
});

it.each([1, 2, 9, 10, 12, 15, 20, 40])('never goes beyond a limit of %d tokens, thoughts included', (maxTokens) => {
  for (const extra of [{}, { tools: [tool], toolChoice: 'required' as const }, { schema: tool.schema }]) {
    const [answer] = planAnswer(request({ reasons: true, maxTokens, ...extra }), 'hello', plainBehaviour);
    const [whole] = planAnswer(request({ reasons: true, ...extra }), 'hello', plainBehaviour);
    expect(answer.outputTokens).toBeLessThanOrEqual(maxTokens);
    expect(answer.finish === 'length').toBe(whole.outputTokens > maxTokens);
  }
});

it('gives each choice words of its own', () => {
  const choices = planAnswer(request({ choices: 3 }), 'hello', { ...plainBehaviour, tokens: 30 });
  expect(new Set(choices.map(({ blocks }) => textIn(blocks, 'text'))).size).toBe(3);
});

it('takes characters apart nowhere, and counts pieces as the whole', () => {
  const [answer] = planAnswer(request(), 'hello', { ...plainBehaviour, unicode: true, bits: 1 });
  const pieces = answer.blocks[0]?.pieces ?? [];
  expect(pieces.every(({ text, tokens }) => encodeURIComponent(text) !== '' && tokens >= 0)).toBe(true);
  expect(tokensOf(pieces)).toBe(countTextTokens(textOf(pieces)));
});
