import type { ProxyThread } from '@tollgate/testing';
import type { StackProcess } from '../../stack/stack-process';
import type { Harm, Part } from './contract';
import type { Site } from './site';
import type { SmallDisk } from './small-disk';

/** How a disturbance begins and ends; `end` resolves when the part itself is back. */
export interface Strike {
  begin(): void | Promise<void>;
  end(): void | Promise<void>;
}

const slowMs = 50;

/** What `harm` means for `part`. @throws Error where it means nothing. */
export function strikeOf(site: Site, part: Part, harm: Harm): Strike {
  switch (harm) {
    case 'cut off':
    case 'partitioned':
    case 'slow':
      return linkStrike(site.link(part), harm);
    case 'full':
      return diskStrike(site.disk(part));
    default:
      return part === 'nats' || part === 'postgres' || part === 'valkey'
        ? serverStrike(site, part, harm)
        : processStrike(site.stack.process(part === 'provider' ? 'sandbox' : part), harm);
  }
}

function linkStrike(link: ProxyThread, harm: 'cut off' | 'partitioned' | 'slow'): Strike {
  const begin = { 'cut off': () => link.cut(), partitioned: () => link.freeze(), slow: () => link.slow(slowMs) }[harm];
  return { begin, end: () => link.resume() };
}

function diskStrike(disk: SmallDisk): Strike {
  return {
    begin() {
      try {
        disk.fill();
      } catch (error) {
        disk.clear();
        throw error;
      }
    },
    end: () => disk.clear(),
  };
}

function processStrike(process: StackProcess, harm: 'stopped' | 'killed' | 'frozen'): Strike {
  if (harm === 'frozen') return { begin: () => process.kill('SIGSTOP'), end: () => process.kill('SIGCONT') };
  return {
    async begin() {
      if (harm === 'killed') process.kill('SIGKILL');
      await process.stop();
    },
    end: () => process.startAgain(),
  };
}

function serverStrike(site: Site, part: 'nats' | 'postgres' | 'valkey', harm: 'stopped' | 'killed' | 'frozen'): Strike {
  const server = site[part];
  if (harm !== 'frozen')
    return { begin: () => (harm === 'killed' ? server.kill() : server.stop()), end: () => server.start() };
  if (part === 'postgres') return freezeOfPostgres(site);
  return { begin: () => site[part].pause(), end: () => site[part].resume() };
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
