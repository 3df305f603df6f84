import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { workspaceRoot } from '../../stack/workspace-root';
import type { Endings } from './attack';
import type { AttackerMeans } from './attacker';

/** The argument of an attacker that has only what others leave of a core. */
export const givesWay = 'gives-way';

/** What the parent says. */
export interface AttackOrder {
  name: string;
  durationMs: number;
}

/** What the attacker answers: null when it begins, then how its requests ended. */
export interface AttackNews {
  endings: Endings | null;
}

/**
 * The attacker, in a process of its own: what it works must not slow the clock that the victim's waiting is
 * measured with.
 */
export class AttackerProcess {
  private readonly exit: Promise<unknown>;

  private constructor(private readonly child: ChildProcess) {
    this.exit = once(child, 'exit');
  }

  /**
   * `isMeek`: it has no core that anybody else wants. On a machine that does other things it would hardly
   * come to attack, so that it is not where times say nothing anyway.
   */
  static start(isMeek: boolean): AttackerProcess {
    const args = ['--import', 'tsx', join(__dirname, 'attacker-main.ts'), ...(isMeek ? [givesWay] : [])];
    const stdio = ['ignore', 'inherit', 'inherit', 'ipc'] as const;
    // In a session of its own, whose priority is its own. It ends with its parent all the same.
    const child = spawn(process.execPath, args, { cwd: workspaceRoot, stdio: [...stdio], detached: true });
    return new AttackerProcess(child);
  }

  /** The system's id; undefined of one that could not be started. */
  get pid(): number | undefined {
    return this.child.pid;
  }

  /** From now on it attacks with these. */
  equip(means: AttackerMeans): void {
    this.child.send(means);
  }

  /**
   * Begins an attack; resolves when it has begun, to the promise of how its requests ended.
   * @throws Error when the process is gone
   */
  async begin(order: AttackOrder): Promise<{ ended: Promise<Endings> }> {
    this.child.send(order);
    await this.news(order);
    return { ended: this.news(order).then(({ endings }) => endings ?? {}) };
  }

  async stop(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.exit;
  }

  private async news({ name }: AttackOrder): Promise<AttackNews> {
    const told = await Promise.race([once(this.child, 'message'), this.exit.then(() => null)]);
    if (told === null) throw new Error(`The attacker died of "${name}".`);
    const [news] = told as [AttackNews];
    return news;
  }
}
