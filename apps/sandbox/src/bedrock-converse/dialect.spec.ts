import { EventStreamCodec } from '@smithy/core/event-streams';
import { frame } from './dialect';

const codec = new EventStreamCodec(
  (bytes) => (typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString('utf8')),
  (text) => Buffer.from(text),
);

it.each([
  ['event', ':event-type', 'contentBlockDelta'],
  ['exception', ':exception-type', 'throttlingException'],
] as const)('writes an %s as the decoder of AWS reads it', (kind, header, type) => {
  const { headers, body } = codec.decode(frame(kind, type, { text: 'Grüße 世界' }));
  expect(headers[header]?.value).toBe(type);
  expect(headers[':message-type']?.value).toBe(kind);
  expect(JSON.parse(Buffer.from(body).toString())).toEqual({ text: 'Grüße 世界' });
});
