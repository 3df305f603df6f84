import { readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Stack } from '../../stack/stack';

/** For how long one process did nothing for anybody, milliseconds. */
export interface Standstill {
  process: string;
  /** Its event loop did not come around for so long at most, alone and beside an attacker. */
  aloneMs: number;
  besideMs: number;
  /** Beside the attacker its main thread could have run for so long in all, and had no core. */
  corelessMs: number;
}

type When = 'aloneMs' | 'besideMs';

/** How exactly services measure it, milliseconds: their monitors count the pause between two looks. */
const lookMs = 50;
const own = monitorEventLoopDelay({ resolution: 10 });
own.enable();

/**
 * Who held whom up: a late answer is the gateway's only where neither who asks, nor who answers in the place
 * of a provider, nor the machine was late. `victim`: the process that asks and measures.
 */
export class StandstillWatch {
  private readonly seen = new Map<string, Standstill>();
  private coreless = new Map<string, number>();

  constructor(
    private readonly stack: Stack,
    private readonly attacker: number | undefined,
  ) {}

  get all(): Standstill[] {
    return [...this.seen.values()].toSorted((one, other) => other.besideMs - one.besideMs);
  }

  /** What was until now is not looked at. */
  async begin(): Promise<void> {
    await Promise.all(this.urls.map(([, url]) => delayMs(url)));
    this.coreless = new Map(this.ids.map(([name, id]) => [name, corelessMs(id)]));
    own.reset();
  }

  /** What was since it began. */
  async end(when: When): Promise<void> {
    const ownMs = own.max / 1e6 - 10;
    const told = await Promise.all(this.urls.map(async ([name, url]) => [name, await delayMs(url)] as const));
    for (const [name, ms] of [...told, ['victim', ownMs] as const]) {
      const one = this.of(name);
      one[when] = Math.max(one[when], ms);
    }
    if (when === 'aloneMs') return;
    for (const [name, id] of this.ids)
      this.of(name).corelessMs += Math.max(0, corelessMs(id) - (this.coreless.get(name) ?? 0));
  }

  private of(process: string): Standstill {
    const one = this.seen.get(process) ?? { process, aloneMs: 0, besideMs: 0, corelessMs: 0 };
    this.seen.set(process, one);
    return one;
  }

  private get urls(): [name: string, url: string][] {
    return [...this.stack.processes].flatMap(
      ([
        name,
        {
          internalUrls: [url],
        },
      ]) => (url ? [[name, url]] : []),
    );
  }

  private get ids(): [name: string, id: number][] {
    const ids = [...this.stack.processes].flatMap(([name, { pid }]): [string, number][] =>
      pid === null ? [] : [[name, pid]],
    );
    const others: [string, number][] = this.attacker === undefined ? [] : [['attacker', this.attacker]];
    return [...ids, ['victim', process.pid], ...others];
  }
}

/** The longest delay since it was asked last; 0 of a process that does not answer. */
async function delayMs(url: string): Promise<number> {
  try {
    const text = await (await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(10_000) })).text();
    const [, seconds = '0'] = /^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(text) ?? [];
    return Math.max(0, Number(seconds) * 1_000 - lookMs);
  } catch {
    return 0;
  }
}

/**
 * For how long the main thread of a process waited for a core since it began; 0 where the system does not
 * tell. https://docs.kernel.org/scheduler/sched-stats.html#proc-pid-schedstat
 */
function corelessMs(id: number): number {
  try {
    return Number(readFileSync(`/proc/${id}/schedstat`, 'utf8').split(' ')[1]) / 1e6;
  } catch {
    return 0;
  }
}
