/** As much, and for so long, is held at most. */
const mostBytes = 16 * 1024 * 1024;
/** What a message, and the id of an event, take beside the body. */
const bytesPerBatch = 500;
const bytesPerEvent = 64;
const longestMs = 10 * 60_000;

/** Where JetStream put a message. `duplicate`: it had it already. */
export interface Place {
  seq: number;
  duplicate: boolean;
}

/**
 * What JetStream tells of the stream: when it was made, in its words (null: there is none), and its last
 * place.
 */
export interface StreamSight {
  madeAt: string | null;
  last: number;
}

/**
 * Messages that JetStream acknowledged lately, because it may lose them with its store: metering may not have
 * had them yet. A message that was sent after another was acknowledged comes behind it in the stream, so a
 * lower place shows that this is another stream, or one that lost its end. Where others have passed that
 * place in another stream, the time at which it was made shows it.
 */
export class StoredLately {
  private held: { batch: UsageBatch; atMs: number }[] = [];
  private bytes = 0;
  private highest = 0;
  private madeAt: string | null = null;

  /** The highest place that was acknowledged in the stream of now; 0: none. */
  get last(): number {
    return this.highest;
  }

  /** Messages are in a stream of which it is not known when it was made. */
  get isInUnknown(): boolean {
    return this.madeAt === null && this.highest > 0;
  }

  /**
   * Looks at the stream of now. `known`: the highest place when JetStream was asked. Returns those that are
   * to be sent again, as `note` does.
   */
  see({ madeAt, last }: StreamSight, known: number): UsageBatch[] {
    const isAnother = this.madeAt !== null && madeAt !== this.madeAt;
    this.madeAt = madeAt;
    return isAnother || last < known ? this.loseAll(last) : [];
  }

  /**
   * Notes where a message is. Returns those that are to be sent again, because the stream that had them is
   * gone; mostly none.
   */
  note(batch: UsageBatch, { seq, duplicate }: Place, nowMs: number): UsageBatch[] {
    const lost = !duplicate && seq <= batch.after ? this.loseAll(seq) : [];
    this.highest = Math.max(this.highest, seq);
    this.held.push({ batch, atMs: nowMs });
    this.bytes += sizeOf(batch);
    this.trim(nowMs);
    return lost;
  }

  /** The stream of now has none of them; `last`: the highest place in it that is known. */
  private loseAll(last: number): UsageBatch[] {
    const lost = this.held.map(({ batch }) => batch);
    this.held = [];
    this.bytes = 0;
    this.highest = last;
    return lost;
  }

  /** Lets go what is held for too long, or is too much. */
  trim(nowMs: number): void {
    let over = 0;
    for (const { batch, atMs } of this.held) {
      if (this.bytes <= mostBytes && nowMs - atMs <= longestMs) break;
      this.bytes -= sizeOf(batch);
      over++;
    }
    if (over > 0) this.held.splice(0, over);
  }
}

function sizeOf({ body, eventIds }: UsageBatch): number {
  return body.length + bytesPerBatch + eventIds.length * bytesPerEvent;
}

/** An event that waits to be sent. */
export interface WaitingEvent {
  id: string;
  json: string;
}

/**
 * Events that travel in one message. `id` lets JetStream drop a second copy; `sentAt` is null until it was
 * sent. `after`: the highest place in the stream that was known before it was sent first.
 */
export interface UsageBatch {
  number: number;
  id: string;
  body: Buffer;
  eventIds: readonly string[];
  sentAt: number | null;
  after: number;
}

/** How events are packed: `maxEvents` and `maxBytes` bound a message. */
interface BatchLimits {
  maxEvents: number;
  maxBytes: number;
}

/**
 * Takes events from the front of `waiting` into a JSON array within the limits. Always takes at least one, so
 * that an oversized event is refused by the server rather than kept in the way for ever.
 */
export function takeBatch(waiting: WaitingEvent[], limits: BatchLimits): Pick<UsageBatch, 'body' | 'eventIds'> {
  let events = 0;
  let bytes = 1;
  for (const { json } of waiting) {
    const size = Buffer.byteLength(json) + 1;
    if (events > 0 && (events === limits.maxEvents || bytes + size > limits.maxBytes)) break;
    events++;
    bytes += size;
  }
  const taken = waiting.splice(0, events);
  return { body: ownBuffer(`[${taken.map(({ json }) => json).join(',')}]`), eventIds: taken.map(({ id }) => id) };
}

/**
 * Bodies are held for minutes. `Buffer.from` would put a small one into a pool of 8 KiB, which it then holds
 * whole.
 */
function ownBuffer(text: string): Buffer {
  const buffer = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  buffer.write(text);
  return buffer;
}
