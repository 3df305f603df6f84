import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** What a process and its children have used: CPU time since their start, and the memory they hold now. */
export interface ProcessCost {
  cpuUs: number;
  rssBytes: number;
}

/** One line of the process table. */
interface ProcessRow extends ProcessCost {
  pid: number;
  parent: number;
}

/** Linux counts CPU time in ticks of 10 ms (USER_HZ, https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html). */
const tickUs = 10_000;
const pageBytes = 4_096;

/** Costs by name. A process counts with all its children: Postgres is one process for each connection. */
export function processCosts(pids: ReadonlyMap<string, number>): Map<string, ProcessCost> {
  const rows = process.platform === 'linux' ? readProc() : readPs();
  return new Map([...pids].map(([name, pid]) => [name, costOf(pid, rows)]));
}

/** What each process used between two looks; memory is that of the second one. */
export function costBetween(
  before: ReadonlyMap<string, ProcessCost>,
  after: ReadonlyMap<string, ProcessCost>,
): Map<string, ProcessCost> {
  return new Map(
    [...after].map(([name, { cpuUs, rssBytes }]) => [
      name,
      { cpuUs: cpuUs - (before.get(name)?.cpuUs ?? 0), rssBytes },
    ]),
  );
}

function costOf(pid: number, rows: readonly ProcessRow[]): ProcessCost {
  const own = rows.find((row) => row.pid === pid) ?? { cpuUs: 0, rssBytes: 0 };
  const children = rows.filter((row) => row.parent === pid).map((row) => costOf(row.pid, rows));
  return children.reduce(
    (sum, child) => ({ cpuUs: sum.cpuUs + child.cpuUs, rssBytes: sum.rssBytes + child.rssBytes }),
    { cpuUs: own.cpuUs, rssBytes: own.rssBytes },
  );
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

/** Reads /proc/<pid>/stat. The name in parentheses may hold anything, so fields are counted from behind it. */
export function parseStat(stat: string): ProcessRow {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const field = (number: number): number => Number(fields[number - 3]);
  return {
    pid: Number.parseInt(stat, 10),
    parent: field(4),
    cpuUs: (field(14) + field(15)) * tickUs,
    rssBytes: field(24) * pageBytes,
  };
}

function readPs(): ProcessRow[] {
  const table = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,time=,rss='], { encoding: 'utf8' });
  return table.trim().split('\n').map(parsePsLine);
}

/** Reads a line of `ps -o pid=,ppid=,time=,rss=`, whose time is `[[dd-]hh:]mm:ss[.cc]` and whose memory is in KiB. */
export function parsePsLine(line: string): ProcessRow {
  const [pid = '', parent = '', time = '', rss = ''] = line.trim().split(/\s+/);
  const [clock = '', days = '0'] = time.split('-').reverse();
  const seconds = clock.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
  return {
    pid: Number(pid),
    parent: Number(parent),
    cpuUs: (Number(days) * 86_400 + seconds) * 1_000_000,
    rssBytes: Number(rss) * 1_024,
  };
}
