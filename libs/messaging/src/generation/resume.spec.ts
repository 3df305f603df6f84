import { pino } from 'pino';
import { RecordingListener, aRequest, anEvent, answerOf, chunkOf } from '../testing/generation-fixtures';
import { EdgeStream } from './client/edge-stream';
import type { EdgeStreamHost } from './client/edge-stream-host';
import { InstanceDirectory } from './client/instance-directory';
import { SendingTurns } from './client/sending-turns';
import { decodeMessage, encodeTotal, frameTypes } from './frame';
import type { FrameType } from './frame';
import { FramePost } from './frame-post';
import { defaultHopSettings } from './hop-settings';
import { decodeEnvelope } from './request-envelope';
import { CallRegistry } from './server/call-registry';
import { ReplayBudget, SentFrames } from './server/sent-frames';
import type { ServerCall, ServerCallHost } from './server/server-call';

const logger = pino({ level: 'silent' });
const chunks = 8;
const size = 100;
const { windowBytes } = defaultHopSettings;
const ticker = { now: 0, ticks: (ms: number) => ms / 1_000 };

/**
 * What becomes of a message from the instance, by its place: `lost` and `twice` that one, `late` behind the
 * next one.
 */
type Fault = 'lost' | 'twice' | 'late';

/**
 * An edge and an instance with a link between them that a test disturbs. Every frame is a message of its own.
 */
class DisturbedHop {
  readonly request = aRequest();
  readonly listener = new RecordingListener((bytes) => this.isReading && this.stream.consumed(bytes));
  readonly stream: EdgeStream;
  readonly calls: CallRegistry;
  readonly events: string[] = [];
  call: ServerCall | null = null;
  isCut = false;
  /** The caller takes what comes. */
  isReading = true;
  /** Messages to the instance that are on their way; null: they arrive at once. */
  toCome: Buffer[] | null = null;
  /** Frames from the instance so far. */
  count = 0;
  private held: Buffer | null = null;
  private readonly edge: EdgeStreamHost & { isConnected: boolean };
  readonly instance: ServerCallHost;

  constructor(
    private readonly at: number,
    private readonly fault: Fault | null,
    replayBudgetBytes = defaultHopSettings.replayBudgetBytes,
  ) {
    const settings = defaultHopSettings;
    this.edge = {
      edgeId: 'edge',
      settings,
      logger,
      ticker,
      instances: new InstanceDirectory(),
      sendingTurns: new SendingTurns(),
      isConnected: true,
      linkPatienceMs: 0,
      hasOtherServers: false,
      post: this.post('edge', (message) => this.toInstance(message)),
      register: () => 1,
      release: () => undefined,
      publishRequest: (_subject, envelope) => {
        this.calls.accept(this.calls.peer('edge'), decodeEnvelope(envelope), null, 0, Date.now());
        this.instance.post.flush();
      },
      delivered: async () => undefined,
    };
    this.edge.instances.heard('instance', 0);
    this.instance = {
      settings,
      logger,
      ticker,
      journal: null,
      held: { hold: () => undefined, answered: () => undefined },
      replayBudget: new ReplayBudget(replayBudgetBytes),
      post: this.post('instance', (message) => this.toEdge(message)),
      publishUsage: (event, onSent) => {
        this.events.push(event.id);
        onSent();
      },
      finished: (call, settlement) => this.calls.remove(call, settlement),
    };
    this.calls = new CallRegistry(
      this.instance,
      (call) => (this.call = call),
      () => ({ enter: () => null, leave: () => undefined }),
    );
    this.stream = new EdgeStream(this.edge, this.request, Buffer.from('body'), this.listener);
    this.stream.start();
  }

  /** The instance answers, whole; `between` is told of each piece before it is written. */
  answer(between: (piece: number) => void = () => undefined): void {
    const { call } = this;
    if (!call) throw new Error('The instance has no call.');
    const tell = (work: () => void) => {
      work();
      this.flush();
    };
    tell(() => void call.attempt({ number: 1, model: 'm', provider: 'p', deployment: 'd' }, () => 1));
    tell(() => call.head({ status: 200, headers: {} }));
    for (let piece = 0; piece < chunks; piece++) {
      between(piece);
      tell(() => void call.write(chunkOf(this.request.requestId, piece, size)));
    }
    between(chunks);
    tell(() => call.end(anEvent(this.request.eventId, chunks)));
    between(chunks + 1);
  }

  /** Edge loses its connection, and has it again. */
  cut(): void {
    this.isCut = true;
    this.edge.isConnected = false;
    this.stream.connectionLost();
  }

  restore(): void {
    this.isCut = false;
    this.edge.isConnected = true;
    this.stream.connectionRestored();
    this.flush();
  }

  flush(): void {
    this.edge.post.flush();
    this.instance.post.flush();
    this.edge.post.flush();
    this.instance.post.flush();
  }

  private post(sender: string, publish: (message: Buffer) => void): FramePost {
    return new FramePost(
      { publish: (_subject, payload) => publish(Buffer.from(payload ?? '')) },
      { sender, coalesceMs: 0, logger },
    );
  }

  private toEdge(message: Buffer): void {
    const place = this.count++;
    if (this.isCut || (place === this.at && this.fault === 'lost')) return;
    if (place === this.at && this.fault === 'late') {
      this.held = message;
      return;
    }
    const late = this.held;
    this.held = null;
    const copies = place === this.at && this.fault === 'twice' ? [message, message] : [message];
    for (const each of late ? [message, late] : copies)
      for (const frame of decodeMessage(each).frames) this.stream.receive('instance', frame);
  }

  private toInstance(message: Buffer): void {
    if (this.isCut) return;
    if (this.toCome) this.toCome.push(message);
    else this.arrive(message);
  }

  arrive(message: Buffer): void {
    for (const frame of decodeMessage(message).frames) this.calls.hear(this.calls.peer('edge'), frame);
  }
}

/** accept, attempt, head, the pieces, end. */
const places = Array.from({ length: chunks + 4 }, (_, place) => place);

describe('a stream over a link that loses messages', () => {
  beforeEach(() => jest.useFakeTimers({ doNotFake: ['queueMicrotask', 'performance', 'nextTick'] }));
  afterEach(() => jest.useRealTimers());

  function expectWhole({ listener, request, events }: DisturbedHop): void {
    expect(listener).toMatchObject({ ended: true, failure: null, settlement: { accounted: true } });
    expect(listener.content.equals(answerOf(request.requestId, chunks, size))).toBe(true);
    expect(listener.attempts).toHaveLength(1);
    expect(listener.heads).toHaveLength(1);
    expect(events).toEqual([request.eventId]);
  }

  /** Times pass in which an instance that lost its connection would speak of its calls. */
  function settle(hop: DisturbedHop): void {
    hop.calls.announceAll();
    for (let turn = 0; turn < 4; turn++) {
      hop.flush();
      jest.advanceTimersByTime(300);
    }
  }

  it.each((['lost', 'twice', 'late'] as const).flatMap((fault) => places.map((at) => [fault, at] as const)))(
    'is whole where a message comes %s: that number %i',
    (fault, at) => {
      const hop = new DisturbedHop(at, fault);
      hop.answer();
      settle(hop);
      expectWhole(hop);
    },
  );

  it.each(places.slice(0, chunks + 2).flatMap((from) => [1, 3, chunks + 2].map((pieces) => [from, pieces] as const)))(
    'is whole where the connection of edge is cut before piece %i, for %i pieces',
    (from, pieces) => {
      const hop = new DisturbedHop(-1, null);
      const back = Math.min(from + pieces, chunks + 1);
      hop.answer((piece) => {
        if (piece === from) hop.cut();
        if (piece === back) hop.restore();
      });
      settle(hop);
      expectWhole(hop);
    },
  );

  it('fails visibly, and is counted, where what is missing is not held any more', () => {
    const hop = new DisturbedHop(-1, null, 3 * size);
    hop.answer((piece) => {
      if (piece === 1) hop.cut();
      if (piece === 7) hop.restore();
    });
    settle(hop);
    expect(hop.listener).toMatchObject({ ended: false, settlement: { accounted: true } });
    expect(hop.listener.failure).not.toBeNull();
    expect(hop.events).toEqual([hop.request.eventId]);
  });

  /**
   * A call that wrote so many bytes, of which a window is with the caller, and whose credits for that are on
   * their way.
   */
  function withCreditUnderWay(bytes: number) {
    const hop = new DisturbedHop(-1, null);
    const { call } = hop;
    if (!call) throw new Error('The instance has no call.');
    const underWay = (hop.toCome = []);
    call.write(Buffer.alloc(bytes, 'x'));
    hop.flush();
    expect(hop.listener.content.length).toBeLessThan(1.5 * windowBytes);
    expect(underWay.length).toBeGreaterThan(0);
    hop.toCome = null;
    return { hop, call, underWay };
  }

  it.each([
    [0, 0],
    [3, 1],
  ])('is confirmed by edge only when that heard of it: it asks from %i on', (number, times) => {
    const { instance, calls } = new DisturbedHop(0, null);
    const answered = jest.spyOn(instance.held, 'answered');
    calls.hear(calls.peer('edge'), { type: frameTypes.resume, stream: 99, number, payload: encodeTotal(0) });
    expect(answered).toHaveBeenCalledTimes(times);
  });

  it('goes on where the credit was lost with the connection of the instance', () => {
    const { hop, call } = withCreditUnderWay(2 * windowBytes + 1);
    hop.calls.announceAll();
    hop.flush();
    call.end(anEvent(hop.request.eventId, 1));
    settle(hop);
    expect(hop.listener).toMatchObject({ ended: true, failure: null });
    expect(hop.listener.content).toHaveLength(2 * windowBytes + 1);
  });

  it('is not ahead of its caller by more than the window where credit comes after it was told anew', () => {
    const { hop, underWay } = withCreditUnderWay(4 * windowBytes);
    hop.isReading = false;
    hop.cut();
    hop.restore();
    for (const message of underWay) hop.arrive(message);
    hop.flush();
    expect(hop.listener.content.length).toBeGreaterThan(2 * windowBytes - 1);
    expect(hop.listener.content.length).toBeLessThan(2.5 * windowBytes);
  });

  it('keeps of a large answer in memory only what it may have to send again', () => {
    const hop = new DisturbedHop(-1, null);
    const answer = Buffer.alloc(8 * windowBytes, 'x').subarray(0, windowBytes);
    hop.isReading = false;
    hop.call?.write(answer);
    hop.call?.end(anEvent(hop.request.eventId, 1));
    hop.flush();
    const held = hop.calls.peer('edge').replays.get(1)?.sent.from(0) ?? [];
    const parts = held.flatMap((frame) => frame.parts);
    expect(Buffer.concat(parts).subarray(0, answer.length).equals(answer)).toBe(true);
    const stores = [...new Set(parts.map(({ buffer }) => buffer))];
    expect(stores.reduce((sum, { byteLength }) => sum + byteLength, 0)).toBeLessThan(2 * windowBytes);
  });

  it('is held by its instance for a tick of edge after that handed it on, however little it is', () => {
    const hop = new DisturbedHop(-1, null);
    const { call } = hop;
    if (!call) throw new Error('The instance has no call.');
    for (let piece = 0; piece < chunks; piece++) call.write(chunkOf(hop.request.requestId, piece, size));
    hop.flush();
    expect(call.sent.from(0)).not.toBeNull();
    hop.stream.tick(1);
    hop.flush();
    expect(call.sent.from(call.sent.next)).toEqual([]);
    expect(hop.instance.replayBudget.take(0)).toBe(true);
    expect(call.sent.from(0)).toBeNull();
  });

  it('is confirmed by the resumption where edge had no connection at its tick', () => {
    const hop = new DisturbedHop(-1, null);
    const { call } = hop;
    if (!call) throw new Error('The instance has no call.');
    call.write(chunkOf(hop.request.requestId, 0, size));
    hop.flush();
    hop.cut();
    hop.stream.tick(1);
    hop.restore();
    expect(call.sent.from(0)).toBeNull();
    for (let piece = 1; piece < chunks; piece++) call.write(chunkOf(hop.request.requestId, piece, size));
    call.end(anEvent(hop.request.eventId, chunks));
    settle(hop);
    expect(hop.listener).toMatchObject({ ended: true, failure: null });
    expect(hop.listener.content.equals(answerOf(hop.request.requestId, chunks, size))).toBe(true);
  });

  it('is held rather than what calls told that are over, the oldest of which goes first', () => {
    const budget = new ReplayBudget(3 * size);
    const holding = (stream: number, isOver: boolean) => {
      const sent = new SentFrames(budget);
      sent.add({ type: frameTypes.data, stream, number: 0, parts: [Buffer.alloc(size)], length: size });
      if (isOver) sent.end();
      return sent;
    };
    const [living, oldest, newer, next] = [holding(1, false), holding(2, true), holding(3, true), holding(4, false)];
    const held = () => [living, oldest, newer, next].map((sent) => sent.from(0) !== null);
    expect(held()).toEqual([true, false, true, true]);
    living.grew(2 * size);
    expect(held()).toEqual([false, false, false, true]);
    expect(budget.take(0)).toBe(true);
  });

  it('lies in one piece of memory with that of other calls that are over, and is told from there', () => {
    const budget = new ReplayBudget(1_048_576);
    const frame = (type: FrameType, number: number, parts: Buffer[]) => {
      const length = parts.reduce((sum, part) => sum + part.length, 0);
      return { type, stream: 1, number, parts, length };
    };
    const over = ['one', 'another'].map((told) => {
      const sent = new SentFrames(budget);
      sent.add(frame(frameTypes.head, 0, []));
      sent.add(frame(frameTypes.data, 1, [Buffer.from(told), Buffer.from(', to its end')]));
      sent.end();
      return sent.from(0) ?? [];
    });
    const told = over.map((frames) =>
      frames.map(({ type, number, parts }) => [type, number, String(Buffer.concat(parts))]),
    );
    const { head, data } = frameTypes;
    expect(told).toEqual([
      [
        [head, 0, ''],
        [data, 1, 'one, to its end'],
      ],
      [
        [head, 0, ''],
        [data, 1, 'another, to its end'],
      ],
    ]);
    const pieces = over.flatMap((frames) => frames.flatMap(({ parts, length }) => (length > 0 ? parts : [])));
    expect(new Set(pieces.map(({ buffer }) => buffer)).size).toBe(1);
  });

  it('keeps no process alive that ends meanwhile, and asks for nothing once its client is closed', () => {
    const timers = jest.spyOn(globalThis, 'setTimeout');
    const hop = new DisturbedHop(-1, null);
    hop.cut();
    hop.restore();
    expect(timers.mock.results.length).toBeGreaterThan(1);
    for (const { value } of timers.mock.results) expect((value as NodeJS.Timeout).hasRef()).toBe(false);
    timers.mockRestore();
    hop.stream.forget();
    expect(jest.getTimerCount()).toBe(0);
  });

  it('costs no message more than before when nothing is wrong, and holds nothing for long', () => {
    const hop = new DisturbedHop(-1, null);
    hop.answer();
    expect(hop.count).toBe(chunks + 4);
    expectWhole(hop);
    ticker.now += 6;
    hop.calls.tick();
    ticker.now = 0;
    expect(hop.calls.peer('edge').replays.size).toBe(0);
    expect(hop.instance.replayBudget.take(0)).toBe(true);
  });
});
