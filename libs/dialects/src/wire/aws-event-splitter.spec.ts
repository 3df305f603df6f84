import { AwsEventFormatError, AwsEventSplitter, AwsEventTooLongError } from './aws-event-splitter';
import { awsEvent, awsException, awsMessage } from './aws-event.fixture';

interface Seen {
  events: { name: string; payload: string }[];
  whole: boolean;
}

function split(pieces: readonly Uint8Array[], maxMessageBytes = 1_000_000): Seen {
  const splitter = new AwsEventSplitter(maxMessageBytes);
  const events: Seen['events'] = [];
  for (const piece of pieces) splitter.push(piece, (name, payload) => events.push({ name, payload }));
  return { events, whole: splitter.end() };
}

const stream = Buffer.concat([
  awsEvent('messageStart', { role: 'assistant' }),
  awsEvent('contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'Grüße 😀' } }),
  awsException('throttlingException', { message: 'Too many requests' }),
  awsMessage({ ':message-type': 'error', ':error-code': 'InternalFailure', ':error-message': 'It broke' }, ''),
  awsMessage({}, ''),
]);
const events = [
  { name: 'messageStart', payload: '{"role":"assistant"}' },
  { name: 'contentBlockDelta', payload: '{"contentBlockIndex":0,"delta":{"text":"Grüße 😀"}}' },
  { name: 'throttlingException', payload: '{"message":"Too many requests"}' },
  { name: 'error', payload: '{"code":"InternalFailure","message":"It broke"}' },
  { name: '', payload: '' },
];

describe('the AWS event splitter', () => {
  it('reads events, exceptions and errors', () => expect(split([stream])).toEqual({ events, whole: true }));

  it('sees the same events whichever way the bytes are split', () => {
    for (let at = 0; at <= stream.length; at++) {
      expect(split([stream.subarray(0, at), stream.subarray(at)])).toEqual({ events, whole: true });
    }
    expect(split([...stream].map((byte) => Buffer.from([byte])))).toEqual({ events, whole: true });
  });

  it('says at the end of a cut stream that something is left over, and never tells half a message', () => {
    const first = awsEvent('messageStart', { role: 'assistant' });
    for (let length = 1; length < first.length; length++) {
      expect(split([first.subarray(0, length)])).toEqual({ events: [], whole: false });
    }
  });

  it('refuses a message with any one bit turned', () => {
    const message = awsEvent('messageStart', { role: 'assistant' });
    for (let at = 4; at < message.length; at++) {
      const broken = Buffer.from(message);
      broken.writeUInt8(broken.readUInt8(at) ^ 1, at);
      expect(() => split([broken])).toThrow(AwsEventFormatError);
    }
  });

  it('refuses what cannot be a message: an impossible length', () => {
    expect(() => split([Buffer.from([0, 0, 0, 15])])).toThrow(AwsEventFormatError);
  });

  it('bounds the memory of a message by the length that it announces, such as that of a web page', () => {
    expect(() => split([Buffer.from('<html>')])).toThrow(AwsEventTooLongError);
    const message = awsEvent('messageStart', { role: 'assistant' });
    expect(() => split([message], message.length - 1)).toThrow(AwsEventTooLongError);
    expect(split([message], message.length).events).toHaveLength(1);
  });

  it('copes with a large message that comes byte by byte in linear time', () => {
    const message = awsEvent('contentBlockDelta', { delta: { text: 'x'.repeat(200_000) } });
    expect(split([...message].map((byte) => Buffer.from([byte]))).events[0]?.payload.length).toBeGreaterThan(200_000);
  });
});
