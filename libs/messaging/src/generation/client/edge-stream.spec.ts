import type { GenerationRequest } from '@tollgate/contracts/inference';
import { FakeEdge } from '../../testing/fake-edge';
import { RecordingListener, aRequest } from '../../testing/generation-fixtures';
import { frameTypes, neverBegan, type Frame, type FrameType } from '../frame';
import { toPayload } from '../frame-json';
import { encodeSettlement } from '../settlement';
import { hopFailures } from '../hop-failures';
import { EdgeStream } from './edge-stream';

function frame(type: FrameType, stream: number, number = 0, payload: Uint8Array = new Uint8Array()): Frame {
  return { type, stream, number, payload };
}

const attempt = toPayload({ number: 1, model: 'm', provider: 'p', deployment: 'd' });
const data = (stream: number, number: number) => frame(frameTypes.data, stream, number, Buffer.from(`part ${number}`));
const settlement = encodeSettlement({ accounted: true, usedTokens: 11 });

describe('a stream as edge holds it', () => {
  let edge: FakeEdge;
  let listener: RecordingListener;
  let stream: EdgeStream;
  let request: GenerationRequest;
  let contentBytes: number;

  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['queueMicrotask', 'performance', 'nextTick'] });
    edge = new FakeEdge();
    listener = new RecordingListener();
    request = aRequest();
    const body = Buffer.from('body');
    contentBytes = Buffer.byteLength(JSON.stringify(request)) + body.length;
    stream = new EdgeStream(edge, request, body, listener);
    stream.start();
  });
  afterEach(() => jest.useRealTimers());

  const accept = (instance: string, id: number, received = contentBytes) =>
    stream.receive(instance, frame(frameTypes.accept, id, received));

  it('ends cleanly when every frame came, and settles with what the instance told', () => {
    accept('a', 1);
    stream.receive('a', frame(frameTypes.attempt, 1, 0, attempt));
    stream.receive('a', data(1, 1));
    stream.receive('a', frame(frameTypes.end, 1, 2, settlement));
    expect(listener).toMatchObject({ ended: true, failure: null, settlement: { accounted: true, usedTokens: 11 } });
    expect(edge.released).toEqual([1]);
  });

  it.each([
    ['a frame is missing', () => data(1, 2)],
    ['the end counts more frames than came', () => frame(frameTypes.end, 1, 2, settlement)],
  ])('asks again and again when %s, and does not end cleanly when nothing comes', (_what, wrong) => {
    accept('a', 1);
    stream.receive('a', data(1, 0));
    stream.receive('a', wrong());
    expect(edge.takeTold()).toEqual(['a resume 1']);
    jest.advanceTimersByTime(260);
    expect(edge.takeTold()).toEqual(['a resume 1']);
    expect(listener).toMatchObject({ ended: false, failure: null });
    jest.advanceTimersByTime(2_000);
    stream.receive('a', frame(frameTypes.closed, 1, 0, settlement));
    expect(listener).toMatchObject({ ended: false, failure: { code: 'gap' }, settlement: { accounted: true } });
    expect(listener.content.toString()).toBe('part 0');
  });

  it('takes a frame that comes twice once', () => {
    accept('a', 1);
    stream.receive('a', data(1, 0));
    stream.receive('a', data(1, 0));
    stream.receive('a', frame(frameTypes.end, 1, 1, settlement));
    expect(listener).toMatchObject({ ended: true, failure: null });
    expect(listener.content.toString()).toBe('part 0');
    expect(edge.takeTold()).toEqual([]);
  });

  it('never ends cleanly when the end counts fewer frames than came', () => {
    accept('a', 1);
    stream.receive('a', data(1, 0));
    stream.receive('a', frame(frameTypes.end, 1, 0, settlement));
    stream.receive('a', frame(frameTypes.end, 1, 1, settlement));
    expect(listener).toMatchObject({ ended: false, failure: { code: 'gap' }, settlement: { accounted: true } });
  });

  it('takes frames only from the instance that it accepted', () => {
    accept('a', 1);
    stream.receive('b', data(1, 0));
    stream.receive('b', frame(frameTypes.end, 1, 0, settlement));
    expect(listener.chunks).toHaveLength(0);
    expect(listener.ended).toBe(false);
  });

  it('fails and lets edge account when the instance is silent for more than 15 s', () => {
    accept('a', 1);
    edge.now = 15;
    stream.tick(15);
    expect(listener.failure).toBeNull();
    stream.receive('a', frame(frameTypes.ping, 1));
    edge.now = 30;
    stream.tick(30);
    expect(listener.failure).toBeNull();
    stream.tick(31);
    expect(listener).toMatchObject({ failure: { code: 'instance_lost' }, settlement: { accounted: false } });
    expect(edge.takeTold()).toEqual(['a cancel 1 failed']);
  });

  it('is offered to every instance, without its body, when none accepts in half a second, and goes to the first', () => {
    jest.advanceTimersByTime(499);
    expect(edge.requests).toHaveLength(1);
    jest.advanceTimersByTime(2);
    expect(edge.requests[1]).toEqual({ subject: 'inference.offer.openai-chat', id: 2, contentHere: contentBytes - 4 });
    accept('b', 2, 0);
    accept('c', 2, 0);
    expect(edge.takeTold()).toEqual(['b body 2', 'b body 2', 'c cancel 2 failed']);
    stream.receive('b', frame(frameTypes.end, 2, 0, settlement));
    expect(listener.ended).toBe(true);
  });

  it('stays with the instance that got it first when that one accepts late but before any other', () => {
    jest.advanceTimersByTime(501);
    accept('a', 1);
    accept('b', 2, 0);
    expect(edge.takeTold()).toEqual(['b cancel 2 failed']);
    stream.receive('a', frame(frameTypes.end, 1, 0, settlement));
    expect(listener.ended).toBe(true);
  });

  it('sends the content to an instance that accepted without it, which confirms that the request is still wanted there', () => {
    accept('a', 1, 0);
    expect(edge.takeTold()).toEqual(['a body 1', 'a body 1']);
  });

  it('waits some seconds more for instances that listen, when NATS answers and none of them says a word', async () => {
    edge.isAnswering = true;
    jest.advanceTimersByTime(501);
    await Promise.resolve();
    jest.advanceTimersByTime(2_900);
    expect(listener.failure).toBeNull();
    accept('b', 2, 0);
    expect(edge.takeTold()).toEqual(['b body 2', 'b body 2']);
    stream.receive('b', frame(frameTypes.end, 2, 0, settlement));
    expect(listener.ended).toBe(true);
  });

  it('gives up in the end also when NATS answers', async () => {
    edge.isAnswering = true;
    jest.advanceTimersByTime(501);
    await Promise.resolve();
    jest.advanceTimersByTime(401);
    jest.advanceTimersByTime(3_010);
    expect(listener.failure).toMatchObject({ code: 'overloaded', status: 503 });
  });

  it('gives up with 503 within a second when NATS says nothing either, and stops who accepts after that', () => {
    jest.advanceTimersByTime(501);
    jest.advanceTimersByTime(501);
    expect(listener).toMatchObject({ failure: { code: 'overloaded', status: 503 }, settlement: { accounted: false } });
    expect(edge.released).toEqual([1, 2]);
  });

  const share = { code: 'overloaded', status: 503, message: '3 of 4 places are your own', retryAfterS: 1 };
  it.each([
    ['what they say of it', toPayload(share), share],
    ['no reason that not all of them have', new Uint8Array(), hopFailures.overloaded],
    ['none that a newer release means', toPayload({ ...share, code: 'unheard_of' }), hopFailures.overloaded],
  ])('gives up soon when every instance that was heard of is busy, and tells %s', (_what, why, told) => {
    for (const instance of ['a', 'b']) edge.instances.heard(instance, 0);
    for (const id of [1, 2]) stream.receive('a', frame(frameTypes.busy, id, 0, why));
    expect(listener.failure).toBeNull();
    stream.receive('b', frame(frameTypes.busy, 2, 0, toPayload(share)));
    jest.advanceTimersByTime(30);
    expect(listener.failure).toEqual(told);
  });

  it('asks others only once', () => {
    stream.receive('a', frame(frameTypes.busy, 1));
    jest.advanceTimersByTime(5_000);
    expect(edge.requests).toHaveLength(2);
  });

  it('goes on when the connection is back within two seconds, with the frame that it wants next', () => {
    accept('a', 1);
    stream.receive('a', data(1, 0));
    edge.isConnected = false;
    stream.connectionLost();
    jest.advanceTimersByTime(1_900);
    edge.isConnected = true;
    stream.connectionRestored();
    expect(edge.takeTold()).toEqual(['a resume 1']);
    stream.receive('a', data(1, 1));
    jest.advanceTimersByTime(5_000);
    expect(edge.takeTold()).toEqual([]);
    stream.receive('a', frame(frameTypes.end, 1, 2, settlement));
    expect(listener).toMatchObject({ ended: true, failure: null });
  });

  it('asks every instance for a request whose answer may be lost, and then offers it', () => {
    edge.instances.heard('a', 0);
    edge.instances.heard('b', 0);
    stream.connectionLost();
    stream.connectionRestored();
    expect(edge.takeTold()).toEqual(['a resume 1', 'b resume 1']);
    jest.advanceTimersByTime(510);
    expect(edge.requests.map(({ id }) => id)).toEqual([1, 2]);
    accept('b', 2, 0);
    expect(edge.takeTold()).toContain('b body 2');
    stream.receive('a', frame(frameTypes.ping, 1, 3));
    expect(edge.takeTold()).toEqual(['a cancel 1 failed']);
  });

  it('sends what is missing of the content again', () => {
    accept('a', 1, 0);
    expect(edge.takeTold()).toEqual(['a body 1', 'a body 1']);
    stream.connectionLost();
    stream.connectionRestored();
    expect(edge.takeTold()).toEqual(['a resume 1']);
    accept('a', 1, contentBytes - 4);
    accept('a', 1, contentBytes - 4);
    jest.advanceTimersByTime(0);
    expect(edge.takeTold()).toEqual(['a body 1']);
  });

  describe('where the instance that was to get the content gave the request up before it had all of it', () => {
    const unused = encodeSettlement({ accounted: true, usedTokens: 0 });
    const giveUp = (instance: string, id: number) =>
      stream.receive(instance, frame(frameTypes.closed, id, neverBegan, unused));

    it('is asked for anew, and sent whole to who takes it then', () => {
      accept('a', 1, 0);
      expect(edge.takeTold()).toEqual(['a body 1', 'a body 1']);
      giveUp('a', 1);
      expect(edge.released).toEqual([1]);
      expect(edge.requests.map(({ subject, id }) => `${subject} ${id}`)).toEqual([
        'inference.generate.openai-chat 1',
        'inference.generate.openai-chat 2',
      ]);
      accept('b', 2, 0);
      jest.advanceTimersByTime(0);
      expect(edge.takeTold()).toEqual(['b body 2', 'b body 2']);
      stream.receive('b', data(2, 0));
      stream.receive('b', frame(frameTypes.end, 2, 1, settlement));
      expect(listener).toMatchObject({ ended: true, failure: null, settlement: { usedTokens: 11 } });
    });

    it('is asked for anew also when the connection of edge was lost with it', () => {
      accept('a', 1, 0);
      stream.connectionLost();
      stream.connectionRestored();
      accept('a', 1, 0xffff_ffff);
      giveUp('a', 1);
      jest.advanceTimersByTime(100);
      accept('b', 2, 0);
      jest.advanceTimersByTime(5_000);
      stream.receive('b', frame(frameTypes.end, 2, 0, settlement));
      expect(listener).toMatchObject({ ended: true, failure: null });
    });

    it('fails where it is given up again and again', () => {
      for (let id = 1; id <= 10 && !listener.failure; id++) {
        accept('a', id, 0);
        giveUp('a', id);
      }
      expect(edge.requests).toHaveLength(4);
      expect(listener).toMatchObject({ failure: { code: 'disconnected' }, settlement: { usedTokens: 0 } });
    });

    it.each([
      ['something was used', () => stream.receive('a', frame(frameTypes.closed, 1, 0, settlement))],
      // An older instance says no more of one that never began.
      [
        'it may have begun, and nothing is known to be used',
        () => stream.receive('a', frame(frameTypes.closed, 1, 0, unused)),
      ],
      [
        'the answer had begun',
        () => {
          stream.receive('a', data(1, 0));
          giveUp('a', 1);
        },
      ],
    ])('is not asked for anew where %s', (_what, end) => {
      accept('a', 1, 0);
      end();
      expect(edge.requests).toHaveLength(1);
      expect(listener.failure?.code).toBe('disconnected');
    });
  });

  it('knows who has it by any frame, where the accept was lost, and asks for the others', () => {
    stream.receive('a', frame(frameTypes.ping, 1, 2));
    expect(edge.takeTold()).toEqual(['a resume 1']);
    for (const each of [data(1, 0), data(1, 1), frame(frameTypes.end, 1, 2, settlement)]) stream.receive('a', each);
    expect(listener).toMatchObject({ ended: true, failure: null });
  });

  it('fails when the connection stays away, and settles only with what the instance says after it is back', () => {
    accept('a', 1);
    edge.isConnected = false;
    stream.connectionLost();
    jest.advanceTimersByTime(2_010);
    expect(listener.failure?.code).toBe('disconnected');
    edge.now = 100;
    stream.tick(100);
    expect(listener.settlement).toBeNull();
    edge.isConnected = true;
    stream.connectionRestored();
    expect(edge.takeTold()).toEqual(['a cancel 1 disconnected']);
    stream.receive('a', frame(frameTypes.closed, 1, 0, settlement));
    expect(listener.settlement).toEqual({ accounted: true, usedTokens: 11 });
  });

  it('is left to edge to account for when the instance says nothing for 15 s after the connection is back', () => {
    accept('a', 1);
    edge.isConnected = false;
    stream.connectionLost();
    jest.advanceTimersByTime(2_010);
    edge.now = 100;
    edge.isConnected = true;
    stream.connectionRestored();
    stream.tick(115);
    expect(listener.settlement).toBeNull();
    stream.tick(116);
    expect(listener.settlement?.accounted).toBe(false);
  });

  it('waits a moment for a connection that was lost just now', () => {
    edge.isConnected = false;
    edge.linkPatienceMs = 600;
    const late = new RecordingListener();
    const waiting = new EdgeStream(edge, request, Buffer.from(''), late);
    waiting.start();
    jest.advanceTimersByTime(500);
    expect(edge.requests).toHaveLength(1);
    waiting.connectionRestored();
    expect(edge.requests).toHaveLength(2);
    jest.advanceTimersByTime(400);
    expect(late.failure).toBeNull();
  });

  it('is offered for two seconds where nobody listens just now, among several servers', () => {
    edge.hasOtherServers = true;
    stream.unheard(1);
    stream.unheard(2);
    jest.advanceTimersByTime(1_900);
    expect(listener.failure).toBeNull();
    jest.advanceTimersByTime(200);
    expect(listener.failure?.code).toBe('overloaded');
  });

  it('fails at once while there is no connection, after its caller got the handle', async () => {
    edge.isConnected = false;
    const late = new RecordingListener();
    new EdgeStream(edge, request, Buffer.from(''), late).start();
    expect(late.failure).toBeNull();
    await Promise.resolve();
    expect(late.failure).toMatchObject({ code: 'overloaded', status: 503, retryAfterS: 1 });
  });

  it('stops an instance that accepts after the caller left', () => {
    stream.cancel('caller_left');
    expect(listener.failure?.code).toBe('cancelled');
    accept('a', 1);
    expect(edge.takeTold()).toEqual(['a cancel 1 caller_left']);
    stream.receive('a', frame(frameTypes.fail, 1, 0, Buffer.concat([settlement, toPayload({})])));
    expect(listener.settlement).toEqual({ accounted: true, usedTokens: 11 });
  });

  it('breaks off when a frame cannot be read or its listener fails', () => {
    accept('a', 1);
    stream.receive('a', frame(frameTypes.head, 1, 0, Buffer.from('{"status":"many"}')));
    expect(listener.failure?.code).toBe('gap');
    expect(edge.takeTold()).toEqual(['a cancel 1 failed']);
    const failing = new RecordingListener(() => {
      throw new Error('a bug');
    });
    const other = new EdgeStream(edge, request, Buffer.from(''), failing);
    other.start();
    other.receive('a', frame(frameTypes.accept, 2, 10_000));
    other.receive('a', data(2, 0));
    expect(failing.failure?.code).toBe('internal');
  });

  it('asks for what is missing in a message of its own, which an instance that cannot read it may throw away', () => {
    const { credit, heartbeat, resume } = frameTypes;
    accept('a', 1);
    stream.consumed(70_000);
    stream.receive('a', data(1, 3));
    edge.post.send('inference.control.a', heartbeat, 0, 0);
    edge.post.flush();
    expect(edge.messages).toEqual([[credit], [resume], [heartbeat]]);
  });

  it('grants credit in quarters of the window', () => {
    accept('a', 1);
    stream.consumed(60_000);
    expect(edge.takeTold()).toEqual([]);
    stream.consumed(10_000);
    expect(edge.takeTold()).toEqual(['a credit 1']);
  });
});
