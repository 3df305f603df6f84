import { factsOf, toldItem, toldList } from './told-items';
import { itemsIn } from './conversation-item';
import { inputItems } from './kept-items';
import { inCountedTurns } from '../testing/in-counted-turns';

const told = (item: string, id = 'given', status: string | null = null): unknown => {
  const text = Buffer.from(item);
  return JSON.parse(Buffer.concat(toldItem(text, factsOf(text), id, status).pieces).toString('utf8'));
};
const turnOf = (input: unknown[], output: unknown[] = []) => ({
  input: Buffer.from(JSON.stringify(input)),
  output: Buffer.from(JSON.stringify(output)),
  rest: Buffer.from('{}'),
});
const listed = async (turns: ReturnType<typeof turnOf>[], query: object) => {
  const page = await inputItems('resp_1', turns, query);
  return JSON.parse(page.toString('utf8')) as { data: { id: string }[]; has_more: boolean };
};

describe('an item that is told', () => {
  it.each([
    ['{}', { type: 'message', id: 'given' }],
    [
      '{"role":"user","content":"Hi \\u00e9"}',
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi é' }], id: 'given' },
    ],
    [
      '{"role":"assistant","content":""}',
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: '' }], id: 'given' },
    ],
    ['{"type":null,"id":7,"content":[]}', { type: 'message', content: [], id: 'given' }],
    [
      '{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"x"}',
      { type: 'reasoning', summary: [], encrypted_content: 'x', id: 'given' },
    ],
    ['{"content":"a","content":"b"}', { type: 'message', content: [{ type: 'input_text', text: 'b' }], id: 'given' }],
  ])('is whole, and otherwise as it came: %s', (item, whole) => {
    expect(told(item)).toEqual(whole);
  });

  it('has a status where it says none', () => {
    expect(told('{}', 'a', 'completed')).toMatchObject({ status: 'completed' });
    expect(told('{"status":"incomplete"}', 'a', 'completed')).toMatchObject({ status: 'incomplete' });
  });
});

describe('a page of what a response was made from', () => {
  const turns = [
    turnOf([{ id: 'a' }, { role: 'user', content: 'b' }], [{ id: 'c', type: 'reasoning' }]),
    turnOf([{ id: 'd' }]),
  ];

  it('is in the order that was asked for, from where it was asked for', async () => {
    const all = await listed(turns, { order: 'asc' });
    expect(all).toMatchObject({ object: 'list', first_id: 'a', last_id: 'd', has_more: false });
    expect(all.data.map(({ id }) => id)).toEqual(['a', expect.stringMatching(/^msg_[0-9a-f]{32}$/), 'c', 'd']);
    expect((await listed(turns, {})).data).toEqual(all.data.toReversed());
    const second = await listed(turns, { order: 'asc', after: 'a', limit: 2 });
    expect([second.data, second.has_more]).toEqual([all.data.slice(1, 3), true]);
    await expect(listed(turns, { after: 'x' })).rejects.toThrow('after: there is no item x here');
    const none = await toldList([], false);
    expect(JSON.parse(none.toString('utf8'))).toMatchObject({ data: [], first_id: null, last_id: null });
  });

  it('parses and writes no picture, which would take the time of everybody else, and copies it in turns', async () => {
    const picture = { type: 'input_image', image_url: `data:image/png;base64,${'A'.repeat(6 * 1024 * 1024)}` };
    const turn = turnOf([
      { role: 'user', content: [picture] },
      { role: 'user', content: 'x'.repeat(1024 * 1024) },
    ]);
    const [parse, write] = [jest.spyOn(JSON, 'parse'), jest.spyOn(JSON, 'stringify')];
    const { result: page, turns } = await inCountedTurns(() => inputItems('resp_1', [turn], { order: 'asc' }));
    // 7 MiB, a quarter of a mebibyte in each.
    expect(turns).toBeGreaterThanOrEqual(28);
    const most = Math.max(
      ...parse.mock.calls.map(([text]) => text.length),
      ...write.mock.results.map(({ value }) => String(value).length),
    );
    jest.restoreAllMocks();
    expect(most).toBeLessThan(1_000);
    expect(JSON.parse(page.toString('utf8'))).toMatchObject({ data: [{ content: [picture] }, { type: 'message' }] });
  });

  it('finds the items of a long conversation in turns, of which each walks over a mebibyte', async () => {
    const told = turnOf([{ role: 'user', content: 'x'.repeat(1024 * 1024) }]);
    const all = [...Array.from({ length: 6 }, () => told), turnOf([{ id: 'last' }])];
    const { result: page, turns } = await inCountedTurns(() => inputItems('resp_1', all, { limit: 1 }));
    expect(JSON.parse(page.toString('utf8'))).toMatchObject({ data: [{ id: 'last' }], has_more: true });
    // Six to find them, and six to look at them.
    expect(turns).toBeGreaterThanOrEqual(12);
  });

  it('passes each long text once to find the items', () => {
    const list = Buffer.from(JSON.stringify([{ content: 'x'.repeat(1_000) }, 'y', { content: 'z'.repeat(1_000) }]));
    const search = jest.spyOn(list, 'indexOf');
    expect(itemsIn(list).map((item) => item.length)).toEqual([1_014, 1_014]);
    expect(search).toHaveBeenCalledTimes(2);
  });
});
