import fc from 'fast-check';
import { SseEventTooLongError, SseSplitter } from './sse-splitter';

interface Seen {
  raw: string;
  data: string | null;
  isError: boolean;
}

function split(pieces: readonly Uint8Array[], maxEventBytes = 1_000_000): Seen[] {
  const seen: Seen[] = [];
  const splitter = new SseSplitter(maxEventBytes);
  const listener: Parameters<SseSplitter['push']>[1] = (event) =>
    seen.push({
      raw: event.bytes.toString('utf8', event.start, event.end),
      data: event.hasData ? event.data.toString('utf8', event.dataStart, event.dataEnd) : null,
      isError: event.isError,
    });
  for (const piece of pieces) splitter.push(piece, listener);
  splitter.end(listener);
  return seen;
}

const data = (text: string) => split([Buffer.from(text)]).map((event) => event.data);

it.each([
  ['line feeds', 'data: a\n\ndata:b\n\n'],
  ['carriage returns and line feeds', 'data: a\r\n\r\ndata:b\r\n\r\n'],
  ['carriage returns', 'data: a\r\rdata:b\r\r'],
  ['mixed line ends', 'data: a\r\n\ndata:b\n\r\n'],
  ['a byte order mark', '\ufeffdata: a\n\ndata: b\n\n'],
])('reads events with %s', (_what, text) => expect(data(text)).toEqual(['a', 'b']));

it('joins several data lines by a line feed', () => expect(data('data: a\ndata:\ndata:  b\n\n')).toEqual(['a\n\n b']));

it('takes comments and other fields for no data, but as part of the bytes', () => {
  expect(split([Buffer.from(': hello\n\nid: 1\nretry: 5\nevent: x\n\ndatabase: 1\n\n')])).toEqual([
    { raw: ': hello\n\n', data: null, isError: false },
    { raw: 'id: 1\nretry: 5\nevent: x\n\n', data: null, isError: false },
    { raw: 'database: 1\n\n', data: null, isError: false },
  ]);
});

it('knows events that are named error', () => {
  expect(
    split([Buffer.from('event: error\ndata: x\n\nevent:errors\ndata: y\n\n')]).map((event) => event.isError),
  ).toEqual([true, false]);
});

it('takes what is left at the end for an event', () => {
  expect(data('data: a\n\ndata: [DONE]')).toEqual(['a', '[DONE]']);
  expect(data('data: a\n\ndata: [DONE]\n')).toEqual(['a', '[DONE]']);
  expect(data('data: a\r\n\r')).toEqual(['a']);
});

it.each([
  ['data: a', 'data: a\n\n'],
  ['data: a\n', 'data: a\n\n'],
  ['data: a\r\n', 'data: a\r\n\n'],
  ['data: a\r', 'data: a\r\r'],
  ['data: a\r\n\r', 'data: a\r\n\r'],
  ['da', 'da\n\n'],
])('ends an event whose empty line did not come, so that what follows is another one: %j', (text, raw) => {
  expect(split([Buffer.from(text)]).map((event) => event.raw)).toEqual([raw]);
  expect(split([...Buffer.from(text)].map((byte) => Buffer.of(byte))).map((event) => event.raw)).toEqual([raw]);
});

const line = fc.oneof(
  fc.constantFrom('data: x', 'data:', 'data', ': c', 'event: error', 'id: 3', 'data: {"é":"😀"}'),
  fc.string({ unit: fc.constantFrom('a', ':', ' ', 'é', '😀', '\ufeff') }),
);
const stream = fc.array(fc.tuple(line, fc.constantFrom('\n', '\r\n', '\r', '\n\n', '\r\n\r\n', '\r\r')), {
  maxLength: 12,
});

it('sees the same events and loses no byte, but ends the last one, whichever way the bytes are split', () => {
  fc.assert(
    fc.property(stream, fc.array(fc.nat(40), { maxLength: 10 }), (lines, cuts) => {
      const bytes = Buffer.from(lines.flat().join(''));
      const whole = split([bytes]);
      const pieces: Buffer[] = [];
      let at = 0;
      for (const cut of cuts) {
        pieces.push(bytes.subarray(at, at + cut));
        at += cut;
      }
      pieces.push(bytes.subarray(at));
      expect(split(pieces)).toEqual(whole);
      expect(split([...bytes].map((byte) => Buffer.from([byte])))).toEqual(whole);
      const withoutMark = bytes.subarray(0, 3).equals(Buffer.from('\ufeff')) ? bytes.subarray(3) : bytes;
      const raw = whole.map((event) => event.raw).join('');
      expect(raw.slice(0, withoutMark.toString('utf8').length)).toBe(withoutMark.toString('utf8'));
      expect(['', '\n', '\r', '\n\n']).toContain(raw.slice(withoutMark.toString('utf8').length));
    }),
    { numRuns: 500 },
  );
});

it('bounds the memory of an event that does not end', () => {
  expect(() => split([Buffer.alloc(50, 'x'), Buffer.alloc(51, 'x')], 100)).toThrow(SseEventTooLongError);
});

it('copes with a large event that comes byte by byte in linear time', () => {
  const text = `data: ${'x'.repeat(200_000)}\n\n`;
  expect(split([...Buffer.from(text)].map((byte) => Buffer.from([byte])))[0]?.data).toHaveLength(200_000);
});

it('hands out memory that later bytes do not overwrite', () => {
  const splitter = new SseSplitter(1_000);
  const kept: Buffer[] = [];
  const listener: Parameters<SseSplitter['push']>[1] = (event) =>
    kept.push(event.bytes.subarray(event.start, event.end));
  for (const text of ['data: fir', 'st\n\nda', 'ta: second\n\nd', 'ata: third\n\n'])
    splitter.push(Buffer.from(text), listener);
  expect(kept.map(String)).toEqual(['data: first\n\n', 'data: second\n\n', 'data: third\n\n']);
});
