import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { z } from 'zod';

/** A process of the benchmark's own, spoken with by messages. It ends when the benchmark does. */
export class BenchProcess {
  private readonly child: ChildProcess;

  /** `script` is a TypeScript file of this folder. */
  constructor(script: string, args: readonly string[] = []) {
    this.child = fork(join(__dirname, script), args, { execArgv: ['--import', 'tsx'] });
  }

  /** @throws Error when it did not start. */
  get pid(): number {
    if (this.child.pid === undefined) throw new Error('a process of the benchmark did not start');
    return this.child.pid;
  }

  send(message: object): void {
    this.child.send(message);
  }

  /** The next message. @throws Error when the process ends instead. */
  async next<Schema extends z.ZodType>(schema: Schema): Promise<z.output<Schema>> {
    const heard = new AbortController();
    const { signal } = heard;
    const message: Promise<unknown[]> = once(this.child, 'message', { signal });
    const end = once(this.child, 'exit', { signal }).then(() => {
      throw new Error('a process of the benchmark ended before it answered');
    });
    try {
      const [first] = await Promise.race([message, end]);
      return schema.parse(first);
    } finally {
      // Ends the wait of the one that did not come, whose rejection then says nothing.
      message.catch(() => undefined);
      end.catch(() => undefined);
      heard.abort();
    }
  }

  stop(): void {
    this.child.kill();
  }
}
