import { model } from '../testing/catalog-fixture';
import { WrittenList } from './models.controller';

const [one, other] = [model('openai/one'), model('openai/other')];

describe('a written list', () => {
  it('is written once for the same models, and again where one is another', () => {
    const form = jest.fn((models: readonly { id: string }[]) => ({ data: models.map(({ id }) => id) }));
    const list = new WrittenList(form);
    const ids = (...models: Parameters<typeof list.of>[0][number][]) => String(list.of(models));
    expect([ids(one, other), ids(one, other)]).toEqual(Array(2).fill('{"data":["openai/one","openai/other"]}'));
    expect(form).toHaveBeenCalledTimes(1);
    expect([ids(one), ids(one, { ...other }), ids(other, one)].map((text) => text.length)).toEqual([23, 38, 38]);
    expect(form).toHaveBeenCalledTimes(4);
    // Whoever may see fewer models takes nobody's list.
    ids(one, other);
    expect(form).toHaveBeenCalledTimes(4);
  });
});
