import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/**
 * What a process and its children have used: CPU time since their start, and the memory they hold now (see
 * `memoryMeasure`).
 */
export interface ProcessCost {
  cpuUs: number;
  memoryBytes: number;
}

/** One line of the process table; its memory is the resident size. */
interface ProcessRow extends ProcessCost {
  pid: number;
  parent: number;
}

/**
 * Linux counts CPU time in ticks of 10 ms (USER_HZ,
 * https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html).
 */
const tickUs = 10_000;
const pageBytes = 4_096;

/**
 * What memory is here. Of the proportional set size sums are true: a page that n processes share counts as an
 * n-th in each.
 */
export const memoryMeasure = existsSync('/proc/self/smaps_rollup')
  ? 'proportional set size'
  : 'resident size, as this system tells no proportional one: shared pages count once for each process';

/** Costs by name. A process counts with all its children: Postgres is one process for each connection. */
export function processCosts(pids: ReadonlyMap<string, number>): Map<string, ProcessCost> {
  const rows = readTable();
  return new Map([...pids].map(([name, pid]) => [name, costOf(pid, rows)]));
}

/** CPU time by name, microseconds, as in `processCosts`, without a look at memory. */
export function cpuTimesUs(pids: ReadonlyMap<string, number>): Map<string, number> {
  const rows = readTable();
  return new Map([...pids].map(([name, pid]) => [name, cpuOf(pid, rows)]));
}

/**
 * What processes hold in memory, without their children, bytes by name; of one that has ended nothing is
 * told. The system counts that all the time. For the proportional size it walks through all pages: 8 to 20 ms
 * for 400 MiB, in which whoever asks does nothing else, and the process itself gets no new memory.
 * https://man7.org/linux/man-pages/man5/proc_pid_statm.5.html
 */
export function residentBytes(pids: ReadonlyMap<string, number>): Map<string, number> {
  if (process.platform !== 'linux')
    return new Map([...processCosts(pids)].map(([name, { memoryBytes }]) => [name, memoryBytes]));
  return new Map(
    [...pids].flatMap(([name, pid]) => {
      try {
        return [[name, Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * pageBytes] as const];
      } catch {
        return [];
      }
    }),
  );
}

/** What each process used between two looks; memory is that of the second one. */
export function costBetween(
  before: ReadonlyMap<string, ProcessCost>,
  after: ReadonlyMap<string, ProcessCost>,
): Map<string, ProcessCost> {
  return new Map(
    [...after].map(([name, { cpuUs, memoryBytes }]) => [
      name,
      { cpuUs: cpuUs - (before.get(name)?.cpuUs ?? 0), memoryBytes },
    ]),
  );
}

function cpuOf(pid: number, rows: readonly ProcessRow[]): number {
  const own = rows.find((row) => row.pid === pid)?.cpuUs ?? 0;
  return rows.filter((row) => row.parent === pid).reduce((sum, child) => sum + cpuOf(child.pid, rows), own);
}

function costOf(pid: number, rows: readonly ProcessRow[]): ProcessCost {
  const { cpuUs, memoryBytes } = rows.find((row) => row.pid === pid) ?? { cpuUs: 0, memoryBytes: 0 };
  const children = rows.filter((row) => row.parent === pid).map((row) => costOf(row.pid, rows));
  return children.reduce(
    (sum, child) => ({ cpuUs: sum.cpuUs + child.cpuUs, memoryBytes: sum.memoryBytes + child.memoryBytes }),
    { cpuUs, memoryBytes: proportionalBytes(pid) ?? memoryBytes },
  );
}

/** Null: the process has ended, or the system does not tell. */
function proportionalBytes(pid: number): number | null {
  try {
    return parseRollup(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'));
  } catch {
    return null;
  }
}

/**
 * Reads the proportional set size of /proc/<pid>/smaps_rollup
 * (https://man7.org/linux/man-pages/man5/proc_pid_smaps_rollup.5.html).
 */
export function parseRollup(rollup: string): number | null {
  const kib = /^Pss:\s+(\d+) kB$/m.exec(rollup)?.[1];
  return kib === undefined ? null : Number(kib) * 1_024;
}

function readTable(): ProcessRow[] {
  return process.platform === 'linux' ? readProc() : readPs();
}

function readProc(): ProcessRow[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        return [parseStat(readFileSync(`/proc/${name}/stat`, 'utf8'))];
      } catch {
        // It ended since the folder was listed.
        return [];
      }
    });
}

/**
 * Reads /proc/<pid>/stat. The name in parentheses may hold anything, so fields are counted from behind it.
 * CPU time is that of the process and of its children that ended: what a closed connection of Postgres used
 * would else be taken off again.
 */
export function parseStat(stat: string): ProcessRow {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const field = (number: number): number => Number(fields[number - 3]);
  return {
    pid: Number.parseInt(stat, 10),
    parent: field(4),
    cpuUs: (field(14) + field(15) + field(16) + field(17)) * tickUs,
    memoryBytes: field(24) * pageBytes,
  };
}

function readPs(): ProcessRow[] {
  const table = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,time=,rss='], { encoding: 'utf8' });
  return table.trim().split('\n').map(parsePsLine);
}

/**
 * Reads a line of `ps -o pid=,ppid=,time=,rss=`, whose time is `[[dd-]hh:]mm:ss[.cc]` and whose memory is in
 * KiB.
 */
export function parsePsLine(line: string): ProcessRow {
  const [pid = '', parent = '', time = '', rss = ''] = line.trim().split(/\s+/);
  const [clock = '', days = '0'] = time.split('-').reverse();
  const seconds = clock.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
  return {
    pid: Number(pid),
    parent: Number(parent),
    cpuUs: (Number(days) * 86_400 + seconds) * 1_000_000,
    memoryBytes: Number(rss) * 1_024,
  };
}
