import { spawn } from 'node:child_process';

export interface ShellResult {
  stdout: string;
  tookMs: number;
}

/**
 * Runs a script as a reader of the docs would, and stops at its first failing command.
 * @throws Error with the end of what it printed.
 */
export function shell(script: string, folder: string, environment: NodeJS.ProcessEnv): Promise<ShellResult> {
  const startedAt = Date.now();
  return new Promise((resolve, reject) => {
    const child = spawn('bash', ['-euo', 'pipefail', '-c', script], {
      cwd: folder,
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let all = '';
    child.stdout.on('data', (bytes: Buffer) => {
      stdout += bytes.toString();
      all += bytes.toString();
    });
    child.stderr.on('data', (bytes: Buffer) => (all += bytes.toString()));
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve({ stdout, tookMs: Date.now() - startedAt });
      else
        reject(new Error(`exit code ${code} of\n${script.trim()}\n\n${all.trim().split('\n').slice(-25).join('\n')}`));
    });
  });
}
