import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { serverEnvironment } from '../server-environment';
import type { ServerAccount } from './server-account';

/**
 * Writes the data in the account's folder into a tar archive. The server must not run.
 * @throws Error with tar's own words.
 */
export async function packData(account: ServerAccount, archive: string): Promise<void> {
  await tar(account, ['-cf', '-', 'data'], ['ignore', openSync(archive, 'w')]);
}

/**
 * Puts the data of an archive into the account's folder.
 * @throws Error with tar's own words.
 */
export async function unpackData(account: ServerAccount, archive: string): Promise<void> {
  await tar(account, ['-xpf', '-'], [openSync(archive, 'r'), 'ignore']);
}

/** Runs tar as the folder's owner, who need not be able to open the archive; closes what it is given. */
async function tar(
  { wrapper, owner, home }: ServerAccount,
  options: string[],
  [input, output]: [number | 'ignore', number | 'ignore'],
): Promise<void> {
  const [program = '', ...programArguments] = [...wrapper, 'tar', '-C', home, ...options];
  const child = spawn(program, programArguments, {
    ...owner,
    ...{ cwd: '/', env: serverEnvironment(), stdio: [input, output, 'pipe'] },
  });
  for (const file of [input, output]) if (file !== 'ignore') closeSync(file);
  let said = '';
  child.stderr?.on('data', (data: Buffer) => (said += data.toString()));
  await once(child, 'close');
  if (child.exitCode !== 0) throw new Error(`tar ${options.join(' ')} failed in ${home}:\n${said}`);
}
