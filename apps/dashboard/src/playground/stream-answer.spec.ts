import { SseParser } from './stream-answer';

const stream = ': keep-alive\n\ndata: {"a":1}\n\nevent: x\ndata: one\ndata: two\r\n\r\ndata:[DONE]\n\n';
const events = ['{"a":1}', 'one\ntwo', '[DONE]'];

describe('server-sent events', () => {
  it('are read whole', () => expect(new SseParser().feed(stream)).toEqual(events));

  it.each([1, 2, 3, 5, 7, 11])('are read in pieces of %d characters', (size) => {
    const parser = new SseParser();
    const read: string[] = [];
    for (let at = 0; at < stream.length; at += size) read.push(...parser.feed(stream.slice(at, at + size)));
    expect(read).toEqual(events);
  });

  it('are not told before they end', () => {
    const parser = new SseParser();
    expect(parser.feed('data: half')).toEqual([]);
    expect(parser.feed('\n')).toEqual([]);
    expect(parser.feed('\n')).toEqual(['half']);
  });
});
