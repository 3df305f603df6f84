import { generationSubjects } from '@tollgate/contracts/inference';
import { pino } from 'pino';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { FakeEdge } from '../testing/fake-edge';
import { RecordingListener, aRequest } from '../testing/generation-fixtures';
import { EdgeStream } from './client/edge-stream';
import { RequestContent } from './client/request-content';
import { decodeMessage, frameTypes } from './frame';
import type { Frame } from './frame';
import { FramePost } from './frame-post';
import { defaultHopSettings } from './hop-settings';
import { decodeEnvelope } from './request-envelope';
import { CallRegistry } from './server/call-registry';
import { ReplayBudget } from './server/sent-frames';
import type { ServerCall } from './server/server-call';

const mebibyte = 1024 * 1024;
const logger = pino({ level: 'silent' });

/** A request of some mebibytes between an edge and an instance, of whose frames some are lost. */
class Route {
  readonly edge = new FakeEdge();
  readonly listener = new RecordingListener();
  readonly body = Buffer.alloc(3 * mebibyte, 'picture ');
  call: ServerCall | null = null;
  isLost: (frame: Frame) => boolean = () => false;
  readonly arrived: Frame[] = [];
  private readonly stream: EdgeStream;
  private readonly post: FramePost;
  private readonly calls: CallRegistry;

  constructor() {
    const request = aRequest();
    this.post = new FramePost(
      { publish: (_subject, message) => this.toEdge(decodeMessage(Buffer.from(message ?? '')).frames) },
      { sender: 'instance', coalesceMs: 0, logger },
    );
    this.calls = new CallRegistry(
      {
        ...{ settings: defaultHopSettings, logger, ticker: this.edge, journal: null, post: this.post },
        held: { hold: () => undefined, answered: () => undefined },
        replayBudget: new ReplayBudget(mebibyte),
        publishUsage: () => undefined,
        finished: () => undefined,
      },
      (call) => (this.call = call),
      () => ({ enter: () => null, leave: () => undefined }),
    );
    this.stream = new EdgeStream(this.edge, request, this.body, this.listener);
    this.stream.start();
    const from = { edge: 'edge', stream: 1, window: 1 };
    const envelope = decodeEnvelope(new RequestContent(request, this.body).envelope(from, mebibyte, false));
    this.calls.accept(this.calls.peer('edge'), envelope, request, 0, Date.now());
  }

  /** So many turns of the event loop, and then a second. */
  async play(turns: number): Promise<void> {
    for (let turn = 0; turn < turns; turn++) {
      this.post.flush();
      this.edge.post.flush();
      for (const { frame } of this.edge.told.splice(0)) {
        if (this.isLost(frame)) continue;
        this.arrived.push(frame);
        this.calls.hear(this.calls.peer('edge'), frame);
      }
      await nextTurn();
    }
    this.edge.now += 1;
    this.stream.tick(this.edge.now);
    this.calls.tick();
  }

  /** Others have all of the window to the instance, until what this returns is called. */
  takeWindow(): () => void {
    const { sendingTurns, settings } = this.edge;
    const passage = sendingTurns.passageTo(generationSubjects.control('instance'), settings.bodyWindowBytes);
    passage.count(settings.bodyWindowBytes);
    return () => passage.count(-settings.bodyWindowBytes);
  }

  private toEdge(frames: readonly Frame[]): void {
    for (const frame of frames) if (!this.isLost(frame)) this.stream.receive('instance', frame);
  }
}

const bytesIn = (frames: readonly Frame[]) =>
  frames.filter(({ type }) => type === frameTypes.body).reduce((sum, { payload }) => sum + payload.length, 0);

describe('the content of a large request', () => {
  it('arrives once, and no instance is asked for what it confirmed, the end too', async () => {
    const route = new Route();
    for (let second = 0; second < 8; second++) await route.play(20);
    expect(Buffer.from(route.call?.body ?? []).equals(route.body)).toBe(true);
    expect(bytesIn(route.arrived)).toBe(route.body.length);
    expect(route.arrived.map(({ type }) => type)).not.toContain(frameTypes.resume);
  });

  it.each([
    ['parts of it', frameTypes.body],
    ['what confirms them', frameTypes.more],
  ])('arrives where %s got lost, and neither side lost its connection', async (_what, type) => {
    const route = new Route();
    route.isLost = (frame) => frame.type === type;
    await route.play(20);
    expect(route.call).toBeNull();
    route.isLost = () => false;
    for (let second = 0; second < 8; second++) await route.play(20);
    expect(Buffer.from(route.call?.body ?? []).equals(route.body)).toBe(true);
  });

  it('waits for its turn among others for however long: neither side takes that for the silence of the other', async () => {
    const route = new Route();
    const giveBack = route.takeWindow();
    for (let second = 0; second < 60; second++) await route.play(4);
    expect([route.listener.failure, bytesIn(route.arrived)]).toEqual([null, 0]);
    giveBack();
    for (let second = 0; second < 8; second++) await route.play(20);
    expect(Buffer.from(route.call?.body ?? []).equals(route.body)).toBe(true);
  });

  it('does not wait for its turn at an instance that says nothing at all', async () => {
    const route = new Route();
    route.takeWindow();
    await route.play(4);
    route.isLost = () => true;
    for (let second = 0; second < 30 && !route.listener.failure; second++) await route.play(4);
    expect(route.listener.failure).toMatchObject({ code: 'instance_lost' });
  });
});
