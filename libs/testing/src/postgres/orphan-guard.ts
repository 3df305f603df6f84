import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { Socket } from 'node:net';
import { serverEnvironment } from '../server-environment';

/**
 * Waits for the end of its standard input, which this process holds open: it comes when this process is gone,
 * however it ended.
 */
const script = 'cat >/dev/null; kill -QUIT "$1" 2>/dev/null; sleep 1; rm -rf "$2"';

/**
 * Ends a temporary server, and removes its folder, should this process die without stopping it (a test run
 * that was killed).
 * Returns what calls that off. Windows has no shell for it: there the server stays.
 */
export function guardOrphan(serverPid: number, folder: string): () => void {
  if (process.platform === 'win32') return () => undefined;
  const guard: ChildProcess = spawn('sh', ['-c', script, 'tollgate-postgres-guard', String(serverPid), folder], {
    detached: true,
    env: serverEnvironment(),
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  guard.unref();
  // The pipe must not keep this process alive, nor fail it when the guard is called off.
  if (guard.stdin instanceof Socket) guard.stdin.unref();
  guard.stdin?.on('error', () => undefined);
  return () => void guard.kill('SIGKILL');
}
