import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { z } from 'zod';
import { workspaceRoot } from '../../stack/workspace-root';

const counts = z.object({ accounts: z.number(), people: z.number(), keys: z.number(), budgets: z.number() });
const printed = z.object({
  settings: z.array(z.object({ setting: z.string(), outcome: z.string(), count: z.number() })),
  read: counts,
  made: counts.nullable(),
});

/** What the command printed (null: it ended otherwise), how long it took, and what it held at most. */
export interface ImportRun {
  exitCode: number | null;
  result: z.infer<typeof printed> | null;
  error: string;
  tookMs: number;
  /** Null: this system does not tell. */
  peakMib: number | null;
}

const everyMs = 100;

/** Runs `tollgate import litellm --json` as an operator does, in a process of its own. */
export async function runImport(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<ImportRun> {
  const startedAt = Date.now();
  const command = ['--import', 'tsx', join(workspaceRoot, 'tools/cli/main.ts'), 'import', 'litellm', '--json'];
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [...command, ...args], {
    env: { PATH, HOME, ...environment },
    cwd: workspaceRoot,
  });
  let [out, error] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (error += text));
  let peakMib: number | null = null;
  const watch = setInterval(() => (peakMib = peakMemory(child.pid) ?? peakMib), everyMs);
  await once(child, 'close');
  clearInterval(watch);
  const result = child.exitCode === 0 ? printed.parse(JSON.parse(out)) : null;
  return { exitCode: child.exitCode, result, error, tookMs: Date.now() - startedAt, peakMib };
}

/** What a process held of memory at most until now, in MiB; null where Linux does not tell. */
export function peakMemory(pid: number | null | undefined): number | null {
  if (pid == null) return null;
  try {
    const [, kib] = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return kib === undefined ? null : Math.round(Number(kib) / 1_024);
  } catch {
    return null;
  }
}
