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
export interface BatchLimits {
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
