import type { StackProcess } from '../../stack/stack-process';
import type { Harm, Part } from './contract';
import type { Site } from './site';

/** How a disturbance begins and ends; `end` resolves when the part itself is back. */
export interface Strike {
  begin(): void | Promise<void>;
  end(): void | Promise<void>;
}

const slowMs = 50;

/** What `harm` means for `part`. @throws Error where it means nothing. */
export function strikeOf(site: Site, part: Part, harm: Harm): Strike {
  if (part === 'nats' || part === 'postgres' || part === 'valkey') return serverStrike(site, part, harm);
  const process = site.stack.process(part === 'provider' ? 'sandbox' : part);
  if (harm === 'killed') return killOf(process);
  if (harm === 'frozen') return { begin: () => process.kill('SIGSTOP'), end: () => process.kill('SIGCONT') };
  throw new Error(`${part} has no link of its own that could be ${harm}.`);
}

function killOf(process: StackProcess): Strike {
  return {
    async begin() {
      process.kill('SIGKILL');
      await process.stop();
    },
    end: () => process.restart(),
  };
}

function serverStrike(site: Site, part: 'nats' | 'postgres' | 'valkey', harm: Harm): Strike {
  const link = site.links[part];
  switch (harm) {
    case 'killed':
      return { begin: () => site[part].kill(), end: () => site[part].start() };
    case 'frozen':
      return part === 'postgres'
        ? freezeOfPostgres(site)
        : { begin: () => site[part].pause(), end: () => site[part].resume() };
    case 'cut off':
      return { begin: () => link.cut(), end: () => link.resume() };
    case 'slow':
      return { begin: () => link.slow(slowMs), end: () => link.resume() };
  }
}

function freezeOfPostgres(site: Site): Strike {
  let family: number[] = [];
  return {
    begin() {
      family = site.postgresFamily();
      for (const pid of family) signal(pid, 'SIGSTOP');
    },
    end() {
      for (const pid of family) signal(pid, 'SIGCONT');
    },
  };
}

/** Some processes of Postgres come and go by themselves. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It is gone.
  }
}
