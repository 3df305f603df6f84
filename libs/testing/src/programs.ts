import { spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { serverEnvironment } from './server-environment';

/**
 * The program that a variable names, else the first of `names` on PATH, else null.
 * @throws Error when the variable names something that cannot be run.
 */
export async function namedOrOnPath(variable: string, names: readonly string[]): Promise<string | null> {
  const named = process.env[variable];
  if (named) {
    if (await isExecutable(named)) return named;
    throw new Error(`${variable} names ${named}, which is not a program that can be run here.`);
  }
  for (const name of names) {
    for (const folder of (process.env.PATH ?? '').split(delimiter)) {
      if (folder && (await isExecutable(join(folder, name)))) return join(folder, name);
    }
  }
  return null;
}

export async function isExecutable(path: string): Promise<boolean> {
  return canAccess(path, constants.X_OK);
}

export async function isReadable(path: string): Promise<boolean> {
  return canAccess(path, constants.R_OK);
}

async function canAccess(path: string, mode: number): Promise<boolean> {
  return access(path, mode).then(
    () => true,
    () => false,
  );
}

/**
 * Runs a program to its end and returns what it wrote to standard output. `env`: all of its environment.
 * @throws Error with what it wrote to standard error when it fails.
 */
export async function runProgram(
  program: string,
  args: readonly string[],
  { cwd, env = serverEnvironment() }: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<string> {
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  let errors = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}: ${errors.trim()}`);
  return output;
}
