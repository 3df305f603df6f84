import { pino } from 'pino';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { aRequest } from '../../testing/generation-fixtures';
import { decodeMessage } from '../frame';
import { FramePost } from '../frame-post';
import { defaultHopSettings } from '../hop-settings';
import { ContentSender } from './content-sender';
import { RequestContent } from './request-content';
import { SendingTurns } from './sending-turns';

const mebibyte = 1024 * 1024;
const heads = 1_024;

/** An edge whose messages are counted, on a server that takes messages of 8 MiB. */
function anEdge() {
  const sentTo = new Map<string, number>();
  let sentBytes = 0;
  let countedBytes = 0;
  const arrivals = new Map<
    number,
    { sender: ContentSender; stepBytes: number; length: number; received: number; told: number }
  >();
  const arrive = (message: Uint8Array) => {
    for (const { stream, number, payload } of decodeMessage(message).frames) {
      const arrival = arrivals.get(stream);
      if (!arrival) continue;
      expect(number).toBeLessThanOrEqual(arrival.received);
      arrival.received = Math.max(arrival.received, number + payload.length);
      if (arrival.received === arrival.length || arrival.received - arrival.told < arrival.stepBytes) continue;
      arrival.told = arrival.received;
      setImmediate(() => arrival.sender.more(arrival.told));
    }
  };
  const publish = (subject: string, message: unknown) => {
    const bytes = message instanceof Uint8Array ? message.length : 0;
    sentTo.set(subject, (sentTo.get(subject) ?? 0) + bytes);
    sentBytes += bytes;
    if (message instanceof Uint8Array) setImmediate(() => arrive(message));
  };
  const info = { max_payload: 8 * mebibyte } as never;
  const post = new FramePost({ publish, info }, { sender: 'edge', coalesceMs: 0, logger: pino({ level: 'silent' }) });
  const host = { post, sendingTurns: new SendingTurns(), settings: defaultHopSettings };
  const send = (subject: string, bytes: number, accountId: string, stream = 1) => {
    const content = new RequestContent(aRequest(), Buffer.alloc(bytes));
    const sender = new ContentSender(host, { keyId: subject, accountId }, { subject, stream }, content, 0);
    sender.send();
    return { sender, content };
  };
  /** What leaves in each of so many turns of the event loop, of which the first has begun already. */
  const course = async (turns: number) => {
    const left: number[] = [];
    for (let turn = 0; turn < turns; turn++) {
      left.push(sentBytes - countedBytes);
      countedBytes = sentBytes;
      await nextTurn();
    }
    return left;
  };
  /** Senders to one instance, which confirms what came by so many bytes. */
  const sendAll = (count: number, bytes: number, stepBytes: number) =>
    Array.from({ length: count }, (_, which) => {
      const sent = send('instance', bytes, 'greedy', which);
      arrivals.set(which, { ...sent, stepBytes, length: sent.content.length, received: 0, told: 0 });
      return { ...sent, length: sent.content.length };
    });
  const arrivedOf = (which: number) => arrivals.get(which)?.received ?? 0;
  return { post, send, sendAll, course, sentTo, arrivedOf };
}

describe('the rest of large requests', () => {
  it('leaves by a quarter of a mebibyte in a turn of the event loop, however many there are, to the end of a window', async () => {
    const { send, course, sentTo } = anEdge();
    for (let which = 0; which < 8; which++) send(`instance ${which}`, 6 * mebibyte, 'greedy');
    const left = await course(80);
    expect(Math.max(...left)).toBeLessThan(mebibyte / 4 + heads);
    expect(sentTo.size).toBe(8);
    for (const bytes of sentTo.values()) expect(Math.floor(bytes / mebibyte)).toBe(1);
    expect(left.at(-1)).toBe(0);
  });

  it('shares one window to an instance, so that what others send there waits for no more than that', async () => {
    const { send, course, sentTo } = anEdge();
    const senders = Array.from({ length: 8 }, () => send('instance', 6 * mebibyte, 'greedy'));
    await course(80);
    expect(sentTo.get('instance')).toBeLessThan(mebibyte + 8 * heads);
    for (const { sender } of senders) sender.stop();
  });

  it.each([mebibyte / 2, mebibyte / 4])(
    'comes whole, all of many, by instances that confirm what came by %i bytes, and not the end',
    async (stepBytes) => {
      const { sendAll, course, arrivedOf } = anEdge();
      const contents = sendAll(6, 2 * mebibyte + 1_000, stepBytes);
      await course(120);
      for (const [which, content] of contents.entries()) expect(arrivedOf(which)).toBe(content.length);
    },
  );

  it('goes on where what others had under way is over, is held, or was confirmed by parts of another size', async () => {
    const { sendAll, course, arrivedOf } = anEdge();
    const contents = sendAll(6, 3 * mebibyte, mebibyte / 2);
    await course(4);
    for (const [which, { sender }] of contents.entries()) {
      sender.hold();
      // What was told last lies before what is there.
      if (which > 0) sender.restart(arrivedOf(which));
      else sender.stop();
    }
    await course(200);
    for (const [which, content] of contents.entries()) if (which > 0) expect(arrivedOf(which)).toBe(content.length);
  });

  it('of another account goes on in every second turn', async () => {
    const { send, course, sentTo } = anEdge();
    for (let which = 0; which < 8; which++) send(`greedy ${which}`, 6 * mebibyte, 'greedy');
    send('victim', mebibyte, 'victim');
    await course(12);
    expect(sentTo.get('victim')).toBeGreaterThan(mebibyte);
  });

  it('stays where it is when the request is over or the connection is lost, and goes on from where it was lost', async () => {
    const { send, course, sentTo } = anEdge();
    const over = send('over', 2 * mebibyte, 'a');
    const held = send('held', 2 * mebibyte, 'b');
    await course(2);
    over.sender.stop();
    held.sender.hold();
    over.sender.more(mebibyte / 4);
    held.sender.more(mebibyte / 4);
    const before = new Map(sentTo);
    await course(20);
    expect(sentTo).toEqual(before);
    held.sender.restart(held.content.length - 100);
    await course(2);
    expect((sentTo.get('held') ?? 0) - (before.get('held') ?? 0)).toBeLessThan(100 + heads);
  });

  it('is told of in a message that holds no part of it, and of no message that is larger than a mebibyte', () => {
    const { post } = anEdge();
    const from = { edge: 'edge', stream: 1, window: 1 };
    const sizes = [mebibyte / 2, 6 * mebibyte].map(
      (bytes) => new RequestContent(aRequest(), Buffer.alloc(bytes)).envelope(from, post.maxPayload, true).length,
    );
    expect(sizes.map((bytes) => Math.floor((2 * bytes) / mebibyte))).toEqual([1, 0]);
  });
});
