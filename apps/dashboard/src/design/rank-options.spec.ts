import { rankOptions } from './rank-options';

const options = ['Requests', 'All requests', 'Models', 'Claude Sonnet 5', 'Sonnet'].map((name) => ({ id: name, name }));
const found = (typed: string) => rankOptions(options, typed).map(({ name }) => name);

it.each([
  ['', ['Requests', 'All requests', 'Models', 'Claude Sonnet 5', 'Sonnet']],
  ['requests', ['Requests', 'All requests']],
  ['son', ['Sonnet', 'Claude Sonnet 5']],
  ['sonnet claude', ['Claude Sonnet 5']],
  ['EQUEST', ['Requests', 'All requests']],
  ['nothing', []],
])('typing %j finds %j', (typed, names) => expect(found(typed)).toEqual(names));

it('finds by other words, too, after names', () => {
  const models = [
    { id: 'a', name: 'GPT', words: 'openai/gpt sonnet-like' },
    { id: 'b', name: 'Sonnet' },
  ];
  expect(rankOptions(models, 'sonnet').map(({ id }) => id)).toEqual(['b', 'a']);
});
