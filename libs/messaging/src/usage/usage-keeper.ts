import { usageStream } from '@tollgate/contracts';
import type { Logger } from '@tollgate/observability';
import type { NatsConnection } from 'nats';
import { endRepublishing } from './usage-streams';

/** What is gathered into one message, unless one that came is larger: readers take some dozens at once. */
const messageBytes = 64 * 1024;
const waitMs = 2_000;
const [opening, comma, closing] = ['[', ',', ']'].map((text) => Buffer.from(text)) as [Buffer, Buffer, Buffer];

/**
 * Has JetStream keep for hours what is about to be acknowledged, and so leaves the stream of events. Bodies
 * of many messages become one: JetStream waits for the disk with each.
 */
export class UsageKeeper {
  private isFailing = false;
  /** The stream of events may still write on by itself what it stores, as older releases had it. */
  private mayBeRepublished = true;

  constructor(
    private readonly connection: Pick<NatsConnection, 'jetstream' | 'jetstreamManager'>,
    private readonly logger: Logger,
  ) {}

  /**
   * Resolves when JetStream has stored them. Where it does not, that is logged once, until it does again:
   * usage is in the database, and only one that loses it cannot be helped. What comes after a failure is not
   * waited for: it would hold up the usage of all. Never rejects. `bodies`: JSON arrays of events, none of
   * them empty.
   */
  async keep(bodies: readonly Uint8Array[]): Promise<void> {
    const kept = this.send(bodies);
    if (!this.isFailing) await kept;
  }

  private async send(bodies: readonly Uint8Array[]): Promise<void> {
    try {
      const stream = this.connection.jetstream({ timeout: waitMs });
      await Promise.all(gathered(bodies).map((body) => stream.publish(usageStream.keptSubject, body)));
      if (this.mayBeRepublished) await endRepublishing(this.connection);
      this.mayBeRepublished = false;
      this.isFailing = false;
    } catch (error) {
      if (!this.isFailing) this.logger.error({ err: error }, 'JetStream does not keep usage after it was acknowledged');
      this.isFailing = true;
    }
  }
}

/** The items of many JSON arrays in fewer, in their order, each of at most `maxBytes` or of one that came. */
export function gathered(bodies: readonly Uint8Array[], maxBytes = messageBytes): Buffer[] {
  const messages: Buffer[] = [];
  let parts: Buffer[] = [];
  let bytes = 0;
  const close = (): void => {
    if (parts.length > 0) messages.push(Buffer.concat([...parts, closing]));
    parts = [];
    bytes = 0;
  };
  for (const body of bodies) {
    const items = itemsOf(body);
    if (bytes + items.length + 2 > maxBytes) close();
    parts.push(parts.length === 0 ? opening : comma, items);
    bytes += items.length + 1;
  }
  close();
  return messages;
}

/** What stands between the brackets. */
function itemsOf(body: Uint8Array): Buffer {
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  return text.subarray(text.indexOf(opening) + 1, text.lastIndexOf(closing));
}
