import { Parser } from 'nats/lib/nats-base-client/internal_mod';
import type { ParserEvent } from 'nats/lib/nats-base-client/internal_mod';
import { takeMessagesWhole } from './single-transport';

takeMessagesWhole();

/** What a client hears of these bytes, which come in reads of so many. */
function heard(bytes: Buffer, readBytes: number): Uint8Array[] {
  const messages: Uint8Array[] = [];
  const parser = new Parser({ push: ({ data }: ParserEvent) => void (data && messages.push(data)) });
  for (let from = 0; from < bytes.length; from += readBytes) parser.parse(bytes.subarray(from, from + readBytes));
  return messages;
}

const message = (payload: string, headers = '') =>
  Buffer.from(
    headers === ''
      ? `MSG subject 1 ${payload.length}\r\n${payload}\r\n`
      : `HMSG subject 1 ${headers.length} ${headers.length + payload.length}\r\n${headers}${payload}\r\n`,
  );

it.each([1, 7, 65_536])('is whole, in memory of its size, where it comes in reads of %i bytes', (readBytes) => {
  const payload = 'ab\r\nMSG c'.repeat(readBytes === 65_536 ? 50_000 : 50);
  const [first, second, third, ...more] = heard(
    Buffer.concat([message(payload), message(payload, 'NATS/1.0\r\n\r\n'), message(payload)]),
    readBytes,
  );
  const texts = [first, second, third].map((data) => Buffer.from(data ?? []).toString());
  expect(texts).toEqual([payload, `NATS/1.0\r\n\r\n${payload}`, payload]);
  expect(more).toEqual([]);
  expect(first?.buffer.byteLength).toBe(payload.length);
});

it('gives the memory of reads back that lie in one message as a whole, and of no others', () => {
  const messages: Uint8Array[] = [];
  const parser = new Parser({ push: ({ data }: ParserEvent) => void (data && messages.push(data)) });
  const payload = 'What a message says. '.repeat(20_000);
  const bytes = Buffer.concat([message('small'), message(payload), message('small')]);
  const reads: Buffer[] = [];
  for (let from = 0; from < bytes.length; from += 65_536) {
    const read = Buffer.allocUnsafeSlow(Math.min(65_536, bytes.length - from));
    bytes.copy(read, 0, from);
    reads.push(read);
    parser.parse(read);
  }
  expect(messages.map((data) => Buffer.from(data).toString())).toEqual(['small', payload, 'small']);
  expect(reads.map(({ length }) => length)).toEqual([65_536, 0, 0, 0, 0, 0, bytes.length % 65_536]);
});
