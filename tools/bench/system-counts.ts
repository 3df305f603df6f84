import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { z } from 'zod';

/**
 * What a process asked of its system since its start, or between two looks: reads, writes, and how often a
 * thread of it went to sleep, to be woken later.
 */
export interface SystemCounts {
  reads: number;
  writes: number;
  sleeps: number;
}

/** Messages that nats-server took and gave away. */
export interface MessageCounts {
  taken: number;
  given: number;
}

/** Counts by name; empty where the system does not tell them, as only Linux does. */
export function systemCounts(pids: ReadonlyMap<string, number>): Map<string, SystemCounts> {
  const counts = new Map<string, SystemCounts>();
  for (const [name, pid] of pids) {
    // https://man7.org/linux/man-pages/man5/proc_pid_io.5.html
    const io = `/proc/${pid}/io`;
    if (!existsSync(io)) continue;
    const text = readFileSync(io, 'utf8');
    counts.set(name, { reads: fieldOf(text, 'syscr'), writes: fieldOf(text, 'syscw'), sleeps: sleepsOf(pid) });
  }
  return counts;
}

/**
 * Of all threads that there are now.
 * https://man7.org/linux/man-pages/man5/proc_pid_status.5.html
 */
function sleepsOf(pid: number): number {
  const folder = `/proc/${pid}/task`;
  return readdirSync(folder)
    .map((thread) => `${folder}/${thread}/status`)
    .filter((path) => existsSync(path))
    .reduce((sum, path) => sum + fieldOf(readFileSync(path, 'utf8'), 'voluntary_ctxt_switches'), 0);
}

/** A number of a file of /proc whose lines are `name: value`. */
export function fieldOf(text: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+)$`, 'm').exec(text)?.[1] ?? 0);
}

/** What was counted between two looks, for each of so many requests. */
export function countsEach(
  before: ReadonlyMap<string, SystemCounts>,
  after: ReadonlyMap<string, SystemCounts>,
  requests: number,
): Map<string, SystemCounts> {
  const none = { reads: 0, writes: 0, sleeps: 0 };
  return new Map(
    [...after].map(([name, now]) => {
      const then = before.get(name) ?? none;
      const each = (count: keyof SystemCounts): number => (now[count] - then[count]) / requests;
      return [name, { reads: each('reads'), writes: each('writes'), sleeps: each('sleeps') }];
    }),
  );
}

/** https://docs.nats.io/running-a-nats-service/nats_admin/monitoring#general-information-varz */
const varz = z.object({ in_msgs: z.number(), out_msgs: z.number() });

/** What the server that tells its counts on this port of loopback has passed on since its start. */
export async function messageCounts(port: number): Promise<MessageCounts> {
  const response = await fetch(`http://127.0.0.1:${port}/varz`);
  const { in_msgs: taken, out_msgs: given } = varz.parse(await response.json());
  return { taken, given };
}
