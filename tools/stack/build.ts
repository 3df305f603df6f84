import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { StackError } from './stack-error';
import { workspaceRoot } from './workspace-root';

/**
 * Bundles every service (the database client is generated first); Nx skips what did not change.
 * @throws StackError with the compiler's output.
 */
export async function buildServices(): Promise<void> {
  const nx = spawn(
    process.execPath,
    ['node_modules/nx/dist/bin/nx.js', 'run-many', '-t', 'build', '--output-style=static'],
    { cwd: workspaceRoot, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const [output, problems] = await Promise.all([text(nx.stdout), text(nx.stderr), once(nx, 'close')]);
  if (nx.exitCode !== 0) throw new StackError(`The build failed:\n${output}${problems}`);
}
