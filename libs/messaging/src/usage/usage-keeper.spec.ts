import { gathered } from './usage-keeper';

const bodies = (...texts: string[]) => texts.map((text) => Buffer.from(text));
const told = (messages: readonly Buffer[]) => messages.map((message) => message.toString());

describe('messages gathered to be kept', () => {
  it('are one array of all their items, in their order', () => {
    expect(told(gathered(bodies('[{"a":[1]},{"b":"]"}]', ' [ 2 ] ', '[3]')))).toEqual(['[{"a":[1]},{"b":"]"}, 2 ,3]']);
    expect(gathered([])).toEqual([]);
  });

  it('are several where one would be too large, and one that is too large alone stays whole', () => {
    const three = bodies('[11111]', '[22222]', '[33333333333333]');
    expect(told(gathered(three, 13))).toEqual(['[11111,22222]', '[33333333333333]']);
    expect(told(gathered(three, 12))).toEqual(['[11111]', '[22222]', '[33333333333333]']);
  });
});
