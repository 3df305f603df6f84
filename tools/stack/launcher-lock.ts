import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { serverEnvironment } from '@tollgate/testing';
import { StackError } from './stack-error';

/** From sources and from a release; `start` was its name in 0.1.0 before its release. */
const launcher = /stack\/(main|start)\.[jt]s/;

/**
 * One launcher per data folder: two would fight for the databases in it. Released when the process ends, or
 * by its death.
 */
export class LauncherLock {
  private readonly file: string;

  constructor(dataFolder: string) {
    mkdirSync(dataFolder, { recursive: true });
    this.file = join(dataFolder, 'launcher.pid');
  }

  /** @throws StackError when another launcher runs on this folder. */
  take(): void {
    try {
      writeFileSync(this.file, String(process.pid), { flag: 'wx' });
      return;
    } catch {
      this.refuseWhenHeld();
    }
    writeFileSync(this.file, String(process.pid));
  }

  release(): void {
    rmSync(this.file, { force: true });
  }

  private refuseWhenHeld(): void {
    const pid = Number(readFileSync(this.file, 'utf8'));
    if (!pid || pid === process.pid || !launcher.test(commandOf(pid))) return;
    throw new StackError(
      `Tollgate runs already (process ${pid}). Its address and key are in dev.json beside ${this.file}. ` +
        `Stop it with Ctrl-C where it runs or with: kill ${pid}. For a second one beside it: TOLLGATE_DATA=.tollgate-2 PORT=8090 npm start`,
    );
  }
}

/**
 * The command line of a process, empty when there is none: a process id may belong to another program by now.
 */
function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    const options = { encoding: 'utf8', env: serverEnvironment() } as const;
    return spawnSync('ps', ['-o', 'command=', '-p', String(pid)], options).stdout ?? '';
  }
}
