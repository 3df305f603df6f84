import { pino } from 'pino';
import type { EdgeStreamHost } from '../generation/client/edge-stream-host';
import { InstanceDirectory } from '../generation/client/instance-directory';
import { SendingTurns } from '../generation/client/sending-turns';
import { decodeMessage, frameTypes } from '../generation/frame';
import type { Frame, FrameType } from '../generation/frame';
import { FramePost } from '../generation/frame-post';
import { defaultHopSettings } from '../generation/hop-settings';
import { decodeEnvelope } from '../generation/request-envelope';

const logger = pino({ level: 'silent' });

/** Edge without NATS: keeps what a stream publishes, and plays the instances. One tick is a second. */
export class FakeEdge implements EdgeStreamHost {
  readonly edgeId = 'edge';
  readonly settings = defaultHopSettings;
  readonly logger = logger;
  readonly instances = new InstanceDirectory();
  readonly sendingTurns = new SendingTurns();
  readonly requests: { subject: string; id: number; contentHere: number }[] = [];
  readonly told: { subject: string; frame: Frame }[] = [];
  /** The types of each message's frames. */
  readonly messages: FrameType[][] = [];
  readonly released: number[] = [];
  now = 0;
  isConnected = true;
  linkPatienceMs = 0;
  hasOtherServers = false;
  isAnswering = false;
  private ids = 0;
  readonly ticker = this;
  readonly post = new FramePost(
    {
      publish: (subject, payload) => {
        const message = decodeMessage(Buffer.from(payload ?? ''));
        this.messages.push(message.frames.map(({ type }) => type));
        this.told.push(...message.frames.map((frame) => ({ subject, frame })));
      },
    },
    { sender: 'edge', coalesceMs: 0, logger },
  );

  readonly ticks = (ms: number) => ms / 1_000;
  readonly register = () => ++this.ids;

  release(id: number): void {
    this.released.push(id);
  }

  publishRequest(subject: string, envelope: Buffer, id: number): void {
    this.requests.push({ subject, id, contentHere: decodeEnvelope(envelope).part.length });
  }

  async delivered(): Promise<void> {
    if (!this.isAnswering) await new Promise(() => undefined);
  }

  /** What was told to instances since this was last asked. */
  takeTold(): string[] {
    this.post.flush();
    const names = new Map<number, string>(Object.entries(frameTypes).map(([name, type]) => [type, name]));
    return this.told.splice(0).map(({ subject, frame }) => {
      const detail = frame.type === frameTypes.cancel ? ` ${Buffer.from(frame.payload).toString()}` : '';
      return `${subject.split('.').at(-1)} ${names.get(frame.type)} ${frame.stream}${detail}`;
    });
  }
}
