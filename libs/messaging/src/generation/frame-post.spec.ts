import { pino } from 'pino';
import { decodeMessage, frameTypes } from './frame';
import { FramePost } from './frame-post';

describe('sending frames', () => {
  let log: string[];
  let messages: { subject: string; frames: number; payloads: string[]; bytes: number }[];
  let post: FramePost;

  function makePost(coalesceMs: number, maxPayload = 1_000_000): FramePost {
    const info = {
      max_payload: maxPayload,
      client_id: 1,
      go: '',
      host: '',
      port: 1,
      proto: 1,
      server_id: '',
      server_name: '',
      version: '',
    };
    const publish = (subject: string, payload?: Uint8Array | string) => {
      const bytes = Buffer.from(payload ?? '');
      const { frames } = decodeMessage(bytes);
      log.push('publish');
      const payloads = frames.map((frame) => Buffer.from(frame.payload).toString());
      messages.push({ subject, frames: frames.length, payloads, bytes: bytes.length });
    };
    const beforeSend = () => void log.push('before');
    return new FramePost(
      { info, publish },
      { sender: 'me', coalesceMs, beforeSend, logger: pino({ level: 'silent' }) },
    );
  }

  beforeEach(() => {
    jest.useFakeTimers();
    log = [];
    messages = [];
    post = makePost(2);
  });
  afterEach(() => jest.useRealTimers());

  const data = (stream: number, number: number, text: string) =>
    post.send('edge', frameTypes.data, stream, number, Buffer.from(text));

  it('puts the frames of one turn to one subject into one message, after what must go before them', () => {
    post.send('edge', frameTypes.head, 1, 0, Buffer.from('{}'));
    post.send('other', frameTypes.ping, 9, 0);
    data(2, 4, 'text');
    expect(messages).toHaveLength(0);
    jest.advanceTimersByTime(0);
    expect(messages.map(({ subject, frames }) => [subject, frames])).toEqual([
      ['edge', 2],
      ['other', 1],
    ]);
    expect(log).toEqual(['before', 'publish', 'publish']);
  });

  it('joins the adjoining data of a stream, but never across another frame of it', () => {
    data(1, 0, 'a');
    data(2, 0, 'x');
    expect(post.extendData('edge', 1, Buffer.from('b'))).toBe(true);
    post.send('edge', frameTypes.end, 1, 1);
    expect(post.extendData('edge', 1, Buffer.from('c'))).toBe(false);
    expect(post.extendData('edge', 3, Buffer.from('d'))).toBe(false);
    post.flush();
    expect(messages[0]?.payloads).toEqual(['ab', 'x', '']);
    expect(post.extendData('edge', 2, Buffer.from('y'))).toBe(false);
  });

  it('sends data with its turn when idle, gathers it when it sent just before, and lets nothing else wait', () => {
    data(1, 0, 'first');
    jest.advanceTimersByTime(0);
    expect(messages).toHaveLength(1);
    data(1, 1, 'second');
    jest.advanceTimersByTime(1);
    expect(messages).toHaveLength(1);
    data(2, 0, 'third');
    jest.advanceTimersByTime(2);
    expect(messages).toHaveLength(2);
    expect(messages[1]?.frames).toBe(2);
    data(1, 2, 'fourth');
    post.send('edge', frameTypes.end, 1, 3);
    jest.advanceTimersByTime(0);
    expect(messages).toHaveLength(3);
    expect(messages[2]?.frames).toBe(2);
  });

  it('keeps every message within the limit of the server', () => {
    post = makePost(0, 1_000);
    for (let i = 0; i < 50; i++)
      post.send('edge', frameTypes.data, i, 0, Buffer.alloc(post.maxFramePayload / (1 + (i % 3))));
    for (let i = 0; i < 50; i++) {
      const more = Buffer.alloc(300);
      if (!post.extendData('edge', 7, more)) post.send('edge', frameTypes.data, 7, i, more);
    }
    post.flush();
    expect(Math.max(...messages.map(({ bytes }) => bytes))).toBeLessThanOrEqual(1_000);
    expect(messages.reduce((sum, { frames }) => sum + frames, 0)).toBeGreaterThanOrEqual(50);
  });

  it('takes frames that are sent before the others leave, in order, also when its message is full', () => {
    const sent: [number, number][] = [];
    let ends: number[] = [];
    const publish = (_subject: string, payload?: Uint8Array | string) =>
      void sent.push(
        ...decodeMessage(Buffer.from(payload ?? '')).frames.map((frame): [number, number] => [
          frame.stream,
          frame.type,
        ]),
      );
    const beforeSend = () => {
      const now = ends;
      ends = [];
      for (const stream of now) post.send('edge', frameTypes.end, stream, 1);
    };
    post = new FramePost({ publish }, { sender: 'me', coalesceMs: 0, beforeSend, logger: pino({ level: 'silent' }) });
    for (let stream = 1; stream <= 3; stream++) {
      post.send('edge', frameTypes.data, stream, 0, Buffer.alloc(40_000));
      ends.push(stream);
    }
    post.flush();
    const { data: dataType, end } = frameTypes;
    expect(sent).toHaveLength(6);
    for (let stream = 1; stream <= 3; stream++)
      expect(sent.filter(([one]) => one === stream).map(([, type]) => type)).toEqual([dataType, end]);
    jest.advanceTimersByTime(10);
    expect(sent).toHaveLength(6);
  });

  it('forgets what has not left when told so', () => {
    data(1, 0, 'a');
    post.discard();
    jest.advanceTimersByTime(10);
    expect(messages).toHaveLength(0);
  });
});
