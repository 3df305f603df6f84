import { readMessages } from './read-messages';

const addressed = {
  path: '/messages',
  model: null,
  stream: null,
  query: '',
  version: '2023-06-01',
  betas: '',
  provider: '',
};
const call = { type: 'tool_use', id: 'toolu_1', name: 'look_up', input: {} };
const read = (model: string, content: object[], members: object = {}) =>
  readMessages(
    {
      model,
      max_tokens: 100,
      tools: [{ name: 'look_up', input_schema: { type: 'object' } }],
      messages: [
        { role: 'user', content: 'look_up' },
        { role: 'assistant', content },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'found' }] },
      ],
      ...members,
    },
    addressed,
  );
const unsigned = { type: 'thinking', thinking: ' ', signature: '' };

// https://github.com/decolua/9router/issues/2397 https://github.com/SuperJJ007/CSSwitch/pull/72
describe('a model of another maker', () => {
  it('wants its thoughts back beside a call, signed or not', () => {
    expect(() => read('deepseek-flash', [call])).toThrow('in the thinking mode must be passed back');
    expect(read('deepseek-flash', [unsigned, call]).model).toBe('deepseek-flash');
    expect(read('deepseek-flash', [call], { thinking: { type: 'disabled' } }).model).toBe('deepseek-flash');
  });

  it('takes what Claude does not: a thought without a signature', () => {
    expect(() => read('claude-sonnet-4-6', [unsigned, call])).toThrow('Invalid `signature`');
    expect(read('claude-sonnet-4-6', [call]).model).toBe('claude-sonnet-4-6');
  });
});
