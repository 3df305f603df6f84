import { constants, getPriority, setPriority } from 'node:os';

/**
 * Has the thread that calls it work behind the rest of its process. Linux has a priority for each thread,
 * where another system would take it for the whole process: there, a core that the event loop wants is not
 * kept from it by what is dear.
 * https://man7.org/linux/man-pages/man2/setpriority.2.html
 *
 * Counted from what the process has: one that was started at a lower priority may not raise it, and the
 * thread would end.
 */
export function giveWay(): void {
  if (process.platform !== 'linux') return;
  setPriority(Math.min(getPriority() + constants.priority.PRIORITY_BELOW_NORMAL, 19));
}
