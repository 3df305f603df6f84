/** Events that travel in one message. `id` lets JetStream drop a second copy; `sentAt` is null until it was sent. */
export interface UsageBatch {
  number: number;
  id: string;
  body: Buffer;
  events: number;
  sentAt: number | null;
}

/** How events are packed: `maxEvents` and `maxBytes` bound a message. */
export interface BatchLimits {
  maxEvents: number;
  maxBytes: number;
}

/**
 * Takes events from the front of `waiting` (each already JSON) into a JSON array within the limits. Always takes at least one, so that an oversized
 * event is refused by the server rather than kept in the way for ever.
 */
export function takeBatch(waiting: string[], limits: BatchLimits): { body: Buffer; events: number } {
  let events = 0;
  let bytes = 1;
  for (const event of waiting) {
    const size = Buffer.byteLength(event) + 1;
    if (events > 0 && (events === limits.maxEvents || bytes + size > limits.maxBytes)) break;
    events++;
    bytes += size;
  }
  return { body: Buffer.from(`[${waiting.splice(0, events).join(',')}]`), events };
}
