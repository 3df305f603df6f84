import { usageEvent } from '@tollgate/contracts';
import type { UsageEvent } from '@tollgate/contracts';
import { z } from 'zod';

/** What a message held: the events that can be read, and why others cannot. */
export interface ReadMessage {
  events: UsageEvent[];
  problems: string[];
}

const list = z.array(z.unknown());

/** Reads a message body, a JSON array of usage events. One unreadable event does not spoil the others. */
export function readUsageMessage(data: Uint8Array): ReadMessage {
  const items = list.safeParse(parseJson(data));
  if (!items.success) return { events: [], problems: ['The body is not a JSON array.'] };
  const events: UsageEvent[] = [];
  const problems: string[] = [];
  for (const [index, item] of items.data.entries()) {
    const event = usageEvent.safeParse(item);
    if (event.success) events.push(event.data);
    else problems.push(`Event ${index}: ${whatIsWrong(event.error)}`);
  }
  return { events, problems };
}

/** In plain letters: a header of NATS carries it. */
function whatIsWrong({ issues }: z.ZodError): string {
  return issues.map(({ path, message }) => `${path.join('.') || 'event'}: ${message}`).join('; ');
}

function parseJson(data: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(data).toString());
  } catch {
    return undefined;
  }
}
