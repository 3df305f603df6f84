import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { freeze } from '@tollgate/testing';
import type { HopSettings } from '../generation/hop-settings';
import type { HandlerReport } from './scripted-handler';

const workspace = join(__dirname, '../../../..');

/** Any of the hop's settings, and the folder of a journal (absent: none). */
export type InstanceOptions = Partial<HopSettings> & { maxInFlight?: number; journal?: string };

let program: string | undefined;

/** The instance's program in one file: compiled at each start, a process takes 1.0 s of CPU, and 0.4 so. */
function bundled(): string {
  if (program !== undefined) return program;
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-instance-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  program = join(folder, 'instance.cjs');
  const options = { bundle: true, platform: 'node', packages: 'external', logLevel: 'error' } as const;
  buildSync({ ...options, entryPoints: [join(__dirname, 'instance-main.ts')], outfile: program });
  return program;
}

/** A child process that serves generations with the scripted handler. */
export class InstanceChild {
  readonly reports: (HandlerReport & { at: number })[] = [];
  private waiters: (() => void)[] = [];

  private constructor(private readonly child: ChildProcess) {}

  /** Starts one and waits until it serves. */
  static async start(url: string, options: InstanceOptions = {}): Promise<InstanceChild> {
    const child = fork(bundled(), [url, JSON.stringify(options)], {
      cwd: workspace,
      execArgv: [],
      env: { ...process.env, LOG_LEVEL: 'fatal', NODE_PATH: join(workspace, 'node_modules') },
    });
    const instance = new InstanceChild(child);
    await new Promise<void>((resolve, reject) => {
      child.once('exit', (code) => reject(new Error(`the instance ended at its start with ${code}`)));
      child.on('message', (message: HandlerReport | { what: 'ready' }) => {
        if (message.what === 'ready') resolve();
        else instance.hear(message);
      });
    });
    return instance;
  }

  /** The first report that fits, as soon as there is one. */
  async report(what: HandlerReport['what'], requestId: string): Promise<HandlerReport & { at: number }> {
    for (;;) {
      const found = this.reports.find((report) => report.what === what && report.requestId === requestId);
      if (found) return found;
      await new Promise<void>((resolve) => this.waiters.push(resolve));
    }
  }

  /** Freezes it, and resolves once it is frozen. */
  pause(): Promise<void> {
    return freeze(this.child);
  }

  resume(): void {
    this.child.kill('SIGCONT');
  }

  /** Ends it and waits for that. Returns its exit code, null when a signal ended it. */
  async stop(signal: NodeJS.Signals = 'SIGKILL'): Promise<number | null> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return this.child.exitCode;
    const exited = new Promise<number | null>((resolve) => this.child.once('exit', (code) => resolve(code)));
    this.child.kill(signal);
    if (signal === 'SIGKILL') this.child.kill('SIGCONT');
    return exited;
  }

  private hear(report: HandlerReport): void {
    this.reports.push({ ...report, at: performance.now() });
    for (const resolve of this.waiters.splice(0)) resolve();
  }
}
