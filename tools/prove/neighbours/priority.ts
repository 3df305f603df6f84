import { readFileSync, writeFileSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

const ownSession = '/proc/self/autogroup';

/**
 * Works at this priority from now on, against processes of other sessions, too, and returns what undoes it.
 * Only as far as the system lets it. Linux shares cores among sessions first, each of which has a nice value
 * of its own; that of a process is compared with others of its session alone. Each service has a session: an
 * attacker of nice 19 in the session of who measures got as much of a core as the edge.
 * https://man7.org/linux/man-pages/man7/sched.7.html (the autogroup feature)
 */
export function workAt(priority: number): () => void {
  const [own, session] = [getPriority(), sessionPriority()];
  tryTo(() => setPriority(priority));
  if (session === null) return () => tryTo(() => setPriority(own));
  tryTo(() => writeFileSync(ownSession, String(priority)));
  return () => {
    tryTo(() => setPriority(own));
    tryTo(() => writeFileSync(ownSession, String(session)));
  };
}

/** The nice value of the session; null where the system shares cores among processes alone. */
export function sessionPriority(): number | null {
  try {
    return Number(/nice (-?\d+)/.exec(readFileSync(ownSession, 'utf8'))?.[1] ?? NaN);
  } catch {
    return null;
  }
}

function tryTo(act: () => void): void {
  try {
    act();
  } catch {
    // Then it waits for a core as all do, and the table tells for how long.
  }
}
