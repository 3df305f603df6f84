import { startMigratedPostgres } from '@tollgate/database/testing';
import { eventually, freePort, startNatsServer } from '@tollgate/testing';
import type { NatsServer, PostgresServer } from '@tollgate/testing';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { run } from './run';

const workspace = join(__dirname, '../..');
export const accountsPepper = 'a pepper of at least thirty-two characters';

/** What a command line printed, and how it ended. */
export interface CommandResult {
  exitCode: number;
  out: string;
  error: string;
}

/**
 * Runs a command line as a person would, words separated by single spaces: again where it is told that the
 * database is too busy, which changed nothing.
 */
export function runCommand(commandLine: string, environment: NodeJS.ProcessEnv): Promise<CommandResult> {
  return eventually(
    () => runOnce(commandLine, environment),
    ({ error }) => !error.includes('The database of accounts does not answer.'),
  );
}

async function runOnce(commandLine: string, environment: NodeJS.ProcessEnv): Promise<CommandResult> {
  const result = { out: '', error: '' };
  const write = {
    out: (text: string) => void (result.out += text),
    error: (text: string) => void (result.error += text),
  };
  return { exitCode: await run(commandLine.split(' '), { environment, folder: '/', write }), ...result };
}

/**
 * A real accounts service, built from this checkout, with a NATS and a Postgres of its own. `more` is added
 * to its environment.
 */
export async function startAccountsProcess(
  more: NodeJS.ProcessEnv = {},
): Promise<{ nats: NatsServer; postgres: PostgresServer; stop(): Promise<void> }> {
  const build = promisify(execFile)(process.execPath, ['tools/build.mjs', 'apps/accounts'], { cwd: workspace });
  const [nats, postgres] = await Promise.all([startNatsServer(), startMigratedPostgres(), build]);
  const port = await freePort();
  const accounts = spawn(process.execPath, ['dist/apps/accounts/main.js'], {
    cwd: workspace,
    stdio: 'ignore',
    env: {
      PATH: process.env.PATH,
      NATS_URL: nats.url,
      DATABASE_URL: postgres.url,
      TOLLGATE_KEY_PEPPER: accountsPepper,
      INTERNAL_PORT: String(port),
      ...more,
    },
  });
  while (!(await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null))?.ok) await delay(100);
  const stop = async (): Promise<void> => {
    accounts.kill('SIGTERM');
    await once(accounts, 'exit');
    await nats.stop();
    await postgres.stop();
  };
  return { nats, postgres, stop };
}
