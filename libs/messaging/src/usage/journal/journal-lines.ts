import { usageEvent } from '@tollgate/contracts';
import type { UsageEvent } from '@tollgate/contracts';

/** How the names of journals end. */
export const journalSuffix = '.usage';

/** The line that takes an event out of a journal; every other line is an event as JSON. */
export function forgetLine(id: string): string {
  return `-${id}`;
}

/**
 * What a journal still holds: the last note of each event that was not forgotten. The last line may be cut
 * off, where its writer died.
 */
export function unfinishedEvents(text: string): UsageEvent[] {
  const events = new Map<string, UsageEvent>();
  for (const line of text.split('\n')) {
    if (line.startsWith('-')) events.delete(line.slice(1));
    else {
      const event = parseEvent(line);
      if (event) events.set(event.id, event);
    }
  }
  return [...events.values()];
}

function parseEvent(line: string): UsageEvent | null {
  try {
    return usageEvent.parse(JSON.parse(line));
  } catch {
    return null;
  }
}
