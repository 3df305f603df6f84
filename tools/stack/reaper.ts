import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { serverEnvironment } from '@tollgate/testing';

/**
 * Waits for the end of its standard input, which the launcher holds open. What the list names then is still
 * running because the launcher was killed: the services are told to stop, then the servers under them, and
 * what is left after that is killed.
 */
const script = `
cat >/dev/null
end() { while read -r group signal id; do [ "$group" = "$1" ] && kill -"\${2:-$signal}" -"$id" 2>/dev/null; done <"$list"; }
list=$1
end service
sleep 3
end service KILL
end server
sleep 5
end server KILL
`;

export interface ReapedProcess {
  /** Services are ended before the servers that they use. */
  group: 'service' | 'server';
  /** The signal that asks this program to stop. */
  signal: 'TERM' | 'INT';
  /** The leader of its process group. */
  pid: number;
}

/**
 * Ends the stack's processes when the launcher itself dies without a chance to do so (SIGKILL, out of
 * memory).
 */
export class Reaper {
  private readonly shell;

  constructor(private readonly listFile: string) {
    this.write([]);
    this.shell = spawn('sh', ['-c', script, 'tollgate-reaper', listFile], {
      detached: true,
      env: serverEnvironment(),
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    this.shell.unref();
  }

  /** Says which processes run now. */
  write(processes: readonly ReapedProcess[]): void {
    writeFileSync(this.listFile, processes.map(({ group, signal, pid }) => `${group} ${signal} ${pid}\n`).join(''));
  }

  /** Everything was stopped in order: nothing is left to end. */
  dismiss(): void {
    this.write([]);
    this.shell.kill('SIGKILL');
  }
}
