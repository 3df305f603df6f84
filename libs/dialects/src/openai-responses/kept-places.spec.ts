import {
  eachPlace,
  itemPlaces,
  memberPlace,
  memberPlaces,
  objectPlaces,
  piecesWith,
  referencePlaces,
} from './kept-places';
import type { Places } from './kept-places';

const ids = ['rs_1', 'msg_2'];
const found = (json: string, places: Places) =>
  [...eachPlace(places)].map(([start, end, which]) => [Buffer.from(json).toString('utf8', start, end), ids[which]]);

describe('places in a list of items', () => {
  it.each([
    ['{"type":"item_reference","id":"rs_1"}', 'rs_1'],
    ['{ "id" : "rs_1" }', 'rs_1'],
    ['{"id":"rs\\u005f1","type":null}', 'rs_1'],
    ['{"id":"rs_9"}', null],
    ['{"id":"rs_1","type":"reasoning"}', null],
    ['{"id":"rs_1","role":"user"}', null],
    ['{"role":"user","content":[{"id":"rs_1"}]}', null],
    ['{"id":7}', null],
    ['"rs_1"', null],
  ])('%s refers to %s', (item, id) => {
    const list = ` [ "größe", ${item} , {}]`;
    expect(found(list, referencePlaces(Buffer.from(list), ids))).toEqual(id === null ? [] : [[item, id]]);
  });

  it('are those of items with these ids, whatever they are', () => {
    const list = '[{"id":"msg_2","content":["ü"]},{"id":"x"},3,{"content":{"id":"rs_1"}},{"a":1,"id":"rs_1"}]';
    expect(found(list, itemPlaces(Buffer.from(list), ids))).toEqual([
      ['{"id":"msg_2","content":["ü"]}', 'msg_2'],
      ['{"a":1,"id":"rs_1"}', 'rs_1'],
    ]);
  });

  it('are those of all that are objects', () => {
    const list = '[ {"id":"rs_1"},7, {"a":[{}]} ,null]';
    expect(found(list, objectPlaces(Buffer.from(list))).map(([text]) => text)).toEqual(['{"id":"rs_1"}', '{"a":[{}]}']);
  });

  it('of a member are those of the last of its name', () => {
    const object = '{"a":{"conversation":1},"conversation":2,"conversation":{"id":"ü"}}';
    expect(found(object, memberPlace(Buffer.from(object), 'conversation'))).toEqual([['{"id":"ü"}', 'rs_1']]);
    expect(memberPlace(Buffer.from('{}'), 'conversation')).toHaveLength(0);
  });
});

it('are found at the pace of memory: what stands in a picture was looked at before', () => {
  const [first, second] = [`{"id":"rs_1","data":"${'A'.repeat(100)}\n"}`, '{"id":"msg_2"}'];
  const list = Buffer.from(`[${first},${second}]`);
  const texts = [...eachPlace(objectPlaces(list))].map(([start, end]) => list.toString('utf8', start, end));
  expect(texts).toEqual([first, second]);
});

describe('places of members', () => {
  const told = (json: string) =>
    [...eachPlace(memberPlaces(Buffer.from(json), ['type', 'id']))].map(([start, end, which]) => [
      Buffer.from(json).toString('utf8', start, end),
      which,
    ]);
  const many = (name: string, count: number) => `"${name}":1,`.repeat(count);

  it('are those of the names that are looked for, and of those beside each, however many others there are', () => {
    expect(told(`{${many('ü', 9_000)}"typ\\u0065":2,"a":3,${many('', 9_000)}"b":4,"id":5,"id":6}`)).toEqual([
      ['"ü":1', 2],
      ['"typ\\u0065":2', 0],
      ['"a":3', 2],
      ['"b":4', 2],
      ['"id":5', 1],
      ['"id":6', 1],
    ]);
    expect(told('{"type":1}')).toEqual([['"type":1', 0]]);
    expect(told(`{${many('a', 9)}"b":2}`)).toEqual([]);
  });

  it('are not those of names that stand there too often, nor of one with a bad escape', () => {
    expect(() => told(`{${many('id', 64)}"id":1}`)).toThrow('too often');
    for (const long of [0, 60]) expect(() => told(`{"${'x'.repeat(long)}\\x":1}`)).toThrow('not valid JSON');
  });
});

it('puts what is kept in the place of references, as often as they stand there, and leaves every other byte', () => {
  const list = Buffer.from('[ {"id":"rs_1"},{"n":9007199254740993}, {"id":"msg_2"} ,{"id":"rs_1"}]');
  const pieces = piecesWith(list, referencePlaces(list, ids), [Buffer.from('{"ü":1}'), null]);
  expect(Buffer.concat(pieces).toString()).toBe('[ {"ü":1},{"n":9007199254740993}, {"id":"msg_2"} ,{"ü":1}]');
});
