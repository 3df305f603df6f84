import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { serverEnvironment } from '../server-environment';
import { unpackData } from './data-archive';
import type { ServerAccount } from './server-account';

/** The server's superuser. */
export const serverUser = 'postgres';

export interface DataFolder {
  path: string;
  /** Null: connections from this machine need no password. */
  password: string | null;
}

/** How every server's data are made. */
export const initdbOptions = ['--encoding=UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'];

/**
 * The data of one server: what is there already, else those of `archive`, else (null) made anew.
 * Durable data made here are protected by a generated password (other people may use this machine), kept
 * beside them; a temporary server trusts the loopback address.
 * @throws Error with the own words of initdb or tar.
 */
export async function prepareDataFolder(
  account: ServerAccount,
  durable: boolean,
  archive: string | null,
): Promise<DataFolder> {
  const path = join(account.home, 'data');
  const passwordFile = join(account.home, 'password');
  if (!existsSync(path))
    await (archive ? unpackData(account, archive) : initialise(account, path, durable ? passwordFile : null));
  return { path, password: existsSync(passwordFile) ? readFileSync(passwordFile, 'utf8') : null };
}

/** initdb into a folder beside and a rename: an interrupted first start leaves nothing half-made. */
async function initialise(account: ServerAccount, path: string, passwordFile: string | null): Promise<void> {
  const unfinished = `${path}.new`;
  rmSync(unfinished, { recursive: true, force: true });
  if (passwordFile) {
    writeFileSync(passwordFile, randomBytes(24).toString('hex'), { mode: 0o600 });
    if (account.owner) chownSync(passwordFile, account.owner.uid, account.owner.gid);
  }
  const authentication = passwordFile
    ? ['--auth=scram-sha-256', `--pwfile=${passwordFile}`]
    : ['--auth=trust', '--no-sync'];
  const { initdb } = account.binaries;
  await run(account, [initdb, '-D', unfinished, '-U', serverUser, ...authentication, ...initdbOptions]);
  renameSync(unfinished, path);
}

async function run(account: ServerAccount, command: string[]): Promise<void> {
  const [program = '', ...programArguments] = [...account.wrapper, ...command];
  const child = spawn(program, programArguments, {
    ...account.owner,
    cwd: '/',
    env: serverEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (output += data.toString()));
  await once(child, 'close');
  if (child.exitCode !== 0) throw new Error(`initdb failed:\n${output}`);
}
