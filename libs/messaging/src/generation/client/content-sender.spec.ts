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

/** What has arrived of a request, and what was confirmed of that. */
interface Arrival {
  readonly sender: ContentSender;
  readonly length: number;
  received: number;
  told: number;
}

/** How an instance confirms: by so many bytes, and the end, too, or not. */
interface Confirming {
  readonly stepBytes: number;
  readonly end: boolean;
}

/** An edge whose messages are counted, on a server that takes messages of 8 MiB, and an instance. */
function anEdge({ stepBytes, end }: Confirming = { stepBytes: Infinity, end: false }) {
  const sentTo = new Map<string, number>();
  let [sentBytes, countedBytes, confirmedBytes, mostUnderWay, gaps] = [0, 0, 0, 0, 0];
  const arrivals = new Map<number, Arrival>();
  let isLossy = false;
  const confirm = (arrival: Arrival) => {
    confirmedBytes += arrival.received - arrival.told;
    arrival.told = arrival.received;
    setImmediate(() => arrival.sender.more(arrival.told));
  };
  const arrive = (message: Uint8Array) => {
    for (const { stream, number, payload } of decodeMessage(message).frames) {
      const arrival = arrivals.get(stream);
      if (!arrival) continue;
      if (number > arrival.received) gaps += 1;
      arrival.received = Math.max(arrival.received, number + payload.length);
      const isWhole = arrival.received === arrival.length;
      if (isWhole ? end : arrival.received - arrival.told >= stepBytes) confirm(arrival);
    }
  };
  const publish = (subject: string, message: unknown) => {
    if (!(message instanceof Uint8Array)) return;
    sentTo.set(subject, (sentTo.get(subject) ?? 0) + message.length);
    sentBytes += message.length;
    mostUnderWay = Math.max(mostUnderWay, sentBytes - confirmedBytes);
    if (!isLossy) setImmediate(() => arrive(message));
  };
  const info = { max_payload: 8 * mebibyte } as never;
  const post = new FramePost({ publish, info }, { sender: 'edge', coalesceMs: 0, logger: pino({ level: 'silent' }) });
  const ticker = { now: 0, ticks: (ms: number) => ms / 1_000 };
  const host = { post, sendingTurns: new SendingTurns(), settings: defaultHopSettings, ticker };
  const send = (subject: string, bytes: number, accountId: string, stream = 1) => {
    const content = new RequestContent(aRequest(), Buffer.alloc(bytes));
    const ask = () => sender.restart(arrivals.get(stream)?.received ?? 0);
    const owner = { keyId: subject, accountId };
    const sender: ContentSender = new ContentSender(host, owner, { subject, stream }, content, 0, ask);
    arrivals.set(stream, { sender, length: content.length, received: 0, told: 0 });
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
  return {
    ...{ post, send, course, sentTo },
    /** All requests to one instance, of one account. */
    sendAll: (count: number, bytes: number) =>
      Array.from({ length: count }, (_, which) => send('instance', bytes, 'greedy', which)),
    /** What every one of them lacks at the instance. */
    missing: () => [...arrivals.values()].map(({ length, received }) => length - received),
    underWay: () => mostUnderWay,
    gaps: () => gaps,
    /** The route is broken, and nobody hears of it; or it is back. */
    lose: (isOn: boolean) => (isLossy = isOn),
    /** So many seconds go by. */
    wait: (seconds: number) => {
      ticker.now += seconds;
      for (const { sender } of arrivals.values()) sender.tick(ticker.now);
    },
  };
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

  it('is never more than a window under way to an instance, however long its ends are', async () => {
    const { sendAll, course, missing, underWay } = anEdge({ stepBytes: mebibyte / 4, end: true });
    sendAll(16, (3 * mebibyte) / 2 - 1_000);
    await course(400);
    expect(missing()).toEqual(missing().map(() => 0));
    expect(underWay()).toBeLessThan(mebibyte + 8 * heads);
  });

  it('comes whole to instances of the release before, which confirm no end: those are asked', async () => {
    const { sendAll, course, missing, wait } = anEdge({ stepBytes: mebibyte / 2, end: false });
    sendAll(6, 3 * mebibyte - 1_000);
    for (let second = 0; second < 30; second++) {
      await course(40);
      wait(1);
    }
    expect(missing()).toEqual([0, 0, 0, 0, 0, 0]);
  });

  it('that was lost, which neither side heard, keeps others for two seconds, and comes after that', async () => {
    const { send, course, lose, missing, wait, gaps } = anEdge({ stepBytes: mebibyte / 4, end: true });
    lose(true);
    send('instance', 3 * mebibyte, 'unlucky', 1);
    await course(20);
    lose(false);
    send('instance', 2 * mebibyte, 'other', 2);
    await course(20);
    expect(missing()[1]).toBeGreaterThan(2 * mebibyte);
    for (let second = 0; second < 3; second++) {
      wait(1);
      await course(40);
    }
    expect([...missing(), gaps()]).toEqual([0, 0, 0]);
  });

  it('goes on where what others had under way is over, is held, or was confirmed by parts of another size', async () => {
    const { sendAll, course, missing, wait } = anEdge({ stepBytes: mebibyte / 2, end: true });
    const all = sendAll(6, 3 * mebibyte);
    await course(4);
    const before = missing();
    for (const [which, { sender, content }] of all.entries()) {
      sender.hold();
      // What was told last lies before what is there.
      if (which > 0) sender.restart(content.length - (before[which] ?? 0));
      else sender.stop();
    }
    for (let second = 0; second < 20; second++) {
      await course(40);
      wait(1);
    }
    expect(missing().slice(1)).toEqual([0, 0, 0, 0, 0]);
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
