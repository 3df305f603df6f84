import { surfaces } from '@tollgate/dialects/surface';
import { ClosingEvent } from './closing-event';

const streams = {
  'openai-chat': [
    'data: {"id":"c1","choices":[]}\n\n',
    ': note\n\ndata: {"choices":[{"delta":{"content":"é"}}]}\n\n',
    'data: [DONE]\n\n',
  ],
  'anthropic-messages': [
    'event: message_start\ndata: {"id":"c1"}\n\n',
    'event: ping\ndata: {}\n\n',
    'event: message_stop\ndata: {"type":"message_stop"}\n\n',
  ],
  'openai-responses': [
    'event: response.created\r\ndata: {"id":"c1"}\r\n\r\n',
    'event: x\r\ndata: {}\r\n\r\n',
    'event: response.completed\r\ndata: {"a":1}\r\n\r\n',
  ],
} as const;

describe.each(Object.entries(streams))('the closing event of %s', (name, [first, middle, last]) => {
  const surface = surfaces.find((each) => each.name === name);
  if (!surface) throw new Error(`no surface ${name}`);
  const bytes = Buffer.from(first + middle + last);

  it('is kept back, and everything before it goes on, however the bytes are cut', () => {
    for (let size = 1; size <= bytes.length; size++) {
      const closing = new ClosingEvent(surface);
      const passed: Uint8Array[] = [];
      let waited = 0;
      for (let at = 0; at < bytes.length; at += size) {
        passed.push(closing.push(bytes.subarray(at, at + size)));
        waited += closing.waited();
      }
      expect(Buffer.concat(passed).toString()).toBe(first + middle);
      expect(waited).toBeLessThanOrEqual(last.length);
      expect(closing.first).toMatchObject({ id: 'c1' });
      expect(closing.undecided()).toBe('');
      expect(Buffer.concat(closing.rest()).toString()).toBe(last);
    }
  });

  it('lets each whole event go at once', () => {
    const closing = new ClosingEvent(surface);
    expect(Buffer.from(closing.push(Buffer.from(first))).toString()).toBe(first);
    expect(Buffer.from(closing.push(Buffer.from(middle))).toString()).toBe(middle);
  });
});

it('gives the whole of a stream that has no closing event in the end', () => {
  const [surface] = surfaces;
  if (!surface) throw new Error('no surface');
  const closing = new ClosingEvent(surface);
  expect(closing.push(Buffer.from('data: {"half'))).toHaveLength(0);
  expect(Buffer.concat(closing.rest()).toString()).toBe('data: {"half');
});
