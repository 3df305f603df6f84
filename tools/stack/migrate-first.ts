import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { workspaceRoot } from './workspace-root';

/**
 * Brings the database to the newest schema by a process that ends, before any service does it by itself: the
 * engine takes some 60 MB that a process never gives back. Resolves with null, or with what kept it from
 * that; the services try it again, and wait, themselves.
 */
export async function migrateFirst(environment: NodeJS.ProcessEnv): Promise<string | null> {
  const program = join(workspaceRoot, 'dist', 'tools', 'cli', 'main.js');
  const child = spawn(process.execPath, [program, 'migrate'], {
    cwd: workspaceRoot,
    env: environment,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [said] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  return child.exitCode === 0 ? null : said.trim();
}
