import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { childrenOf } from '@tollgate/testing';
import { z } from 'zod';
import type { Stack } from '../../stack/stack';
import { StackError } from '../../stack/stack-error';

/**
 * What is looked at of a process. memory: the anonymous part of its proportional set size, which is what it
 * has beside its files, bytes; heap, code and external: what V8 holds after garbage was collected, bytes, of
 * which code is compiled, and not in heap; files: open ones, sockets too; subscriptions: at NATS; timers,
 * maps: living objects; rows: of all Maps and Sets.
 */
export type Measure = 'memory' | 'heap' | 'code' | 'external' | 'files' | 'subscriptions' | 'timers' | 'maps' | 'rows';

/** All processes at one time, milliseconds since the beginning. `acts`: what was done until then. */
export interface Look {
  at: number;
  acts: number;
  processes: Map<string, Map<Measure, number>>;
}

const held = z.object({
  heapBytes: z.number(),
  codeBytes: z.number(),
  externalBytes: z.number(),
  maps: z.number(),
  rows: z.number(),
  timers: z.number(),
});
/** https://docs.nats.io/running-a-nats-service/nats_admin/monitoring#connection-information-connz */
const connections = z.object({
  connections: z.array(z.object({ name: z.string().default(''), subscriptions: z.number().default(0) })),
});
/** To say what it holds, on a machine that does much else. */
const patienceMs = 300_000;
/** It begins anew with each restart, so that it has no course. */
const restarted = 'nats';
const provider = 'sandbox';

/** Looks at every process of a stack but the provider's and nats-server. */
export class Witness {
  private looks = 0;

  /** `folder`: where the services write what they hold. */
  constructor(
    private readonly stack: Stack,
    private readonly folder: string,
    private readonly natsMonitorPort: number,
  ) {}

  /** @throws StackError when a process does not say what it holds */
  async look(at: number, acts: number): Promise<Look> {
    this.looks += 1;
    const pids = this.pids();
    const services = [...pids].filter(([name]) => name !== 'postgres');
    for (const [, pid] of services) process.kill(pid, 'SIGUSR2');
    const processes = new Map<string, Map<Measure, number>>();
    for (const [name, pid] of services) processes.set(name, await this.heldBy(name, pid));
    for (const [name, pid] of pids) processes.set(name, new Map([...systemsOf(pid), ...(processes.get(name) ?? [])]));
    for (const [name, count] of await this.subscriptions()) processes.get(name)?.set('subscriptions', count);
    return { at, acts, processes };
  }

  /** The ids of what is looked at. */
  pids(): Map<string, number> {
    return new Map(
      [...this.stack.processes].flatMap(([name, { pid }]) =>
        pid === null || name === restarted || name === provider ? [] : [[name, pid] as const],
      ),
    );
  }

  private async heldBy(name: string, pid: number): Promise<Map<Measure, number>> {
    const path = join(this.folder, `${pid}.${this.looks}.json`);
    for (const giveUpAt = performance.now() + patienceMs; !existsSync(path); await delay(20))
      if (performance.now() > giveUpAt) throw new StackError(`${name} did not say what it holds.`);
    const { heapBytes: heap, codeBytes: code, ...rest } = held.parse(JSON.parse(readFileSync(path, 'utf8')));
    rmSync(path);
    const { externalBytes: external, ...counts } = rest;
    const told: Partial<Record<Measure, number>> = { heap, code, external, ...counts };
    return new Map(Object.entries(told) as [Measure, number][]);
  }

  /** By the process whose connections have them. */
  private async subscriptions(): Promise<Map<string, number>> {
    const response = await fetch(`http://127.0.0.1:${this.natsMonitorPort}/connz?limit=1024`);
    const sums = new Map<string, number>();
    for (const { name, subscriptions } of connections.parse(await response.json()).connections) {
      const [service = ''] = name.split(/[^a-z]/, 1);
      sums.set(service, (sums.get(service) ?? 0) + subscriptions);
    }
    return sums;
  }
}

/** What the system tells of a process and its children; nothing where it does not, as only Linux does. */
function systemsOf(pid: number): Map<Measure, number> {
  const family = [pid, ...childrenOf(pid)];
  const found = new Map<Measure, number>();
  try {
    found.set('memory', sumOf(family.map(anonymousBytes)));
    found.set('files', sumOf(family.map((one) => readdirSync(`/proc/${one}/fd`).length)));
  } catch {
    // A connection of Postgres that ended meanwhile: the next look tells it.
  }
  return found;
}

/** https://man7.org/linux/man-pages/man5/proc_pid_smaps_rollup.5.html */
function anonymousBytes(pid: number): number {
  const kib = /^Pss_Anon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1];
  return Number(kib ?? 0) * 1_024;
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
