import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { serverEnvironment } from '../server-environment';
import { postgresBinariesIn } from './postgres-binaries';
import type { PostgresBinaries } from './postgres-binaries';

/** How to run Postgres's programs: as whom, through what, and where its files are. */
export interface ServerAccount {
  binaries: PostgresBinaries;
  /** The folder that the server owns. */
  home: string;
  /** Everything that is made for it is below this folder, or that which was named. */
  base: string;
  /** Put in front of every command. */
  wrapper: string[];
  /** Null: as the user who runs this process. */
  owner: { uid: number; gid: number } | null;
}

const nobody = 65_534;
const systemFolder = '/var/tmp';

/**
 * Postgres refuses to run as root, so root hands over to an account without rights (the one behind sudo, else
 * nobody). Where that account cannot enter the folder (a home of mode 0700), a user namespace makes root look
 * like it; where namespaces are forbidden (plain containers), programs and data live under /var/tmp, in a
 * folder named by an id that is kept inside `folder`.
 */
export function chooseServerAccount(binaries: PostgresBinaries, folder: string): ServerAccount {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (process.getuid?.() !== 0) return { binaries, home: folder, base: folder, wrapper: [], owner: null };
  const uid = Number(process.env.SUDO_UID) || nobody;
  const owner = { uid, gid: Number(process.env.SUDO_GID) || uid };
  chownSync(folder, owner.uid, owner.gid);
  if (canUse(owner, folder, binaries)) return { binaries, home: folder, base: folder, wrapper: [], owner };
  const namespace = ['unshare', '--user', `--map-user=${nobody}`, `--map-group=${nobody}`];
  const [unshare = '', ...namespaceArguments] = namespace;
  const env = serverEnvironment();
  if (spawnSync(unshare, [...namespaceArguments, binaries.initdb, '--version'], { env }).status === 0) {
    chownSync(folder, 0, 0);
    return { binaries, home: folder, base: folder, wrapper: namespace, owner: null };
  }
  return outside(binaries, folder, owner);
}

function canUse(owner: { uid: number; gid: number }, folder: string, binaries: PostgresBinaries): boolean {
  const script = 'cd "$1" && "$2" --version';
  const place = { ...owner, cwd: '/', env: serverEnvironment() };
  return spawnSync('/bin/sh', ['-c', script, 'sh', folder, binaries.initdb], place).status === 0;
}

function outside(binaries: PostgresBinaries, folder: string, owner: { uid: number; gid: number }): ServerAccount {
  const base = join(systemFolder, `tollgate-postgres-${keptId(folder)}`);
  const programs = join(base, 'programs');
  const home = join(base, 'home');
  mkdirSync(home, { recursive: true, mode: 0o700 });
  chmodSync(base, 0o755);
  chownSync(home, owner.uid, owner.gid);
  if (!existsSync(programs)) {
    cpSync(binaries.root, `${programs}.new`, { recursive: true });
    renameSync(`${programs}.new`, programs);
  }
  return { binaries: postgresBinariesIn(programs), home, base, wrapper: [], owner };
}

/** Not the path names the data: a new clone at the same path must not find the old one's. */
function keptId(folder: string): string {
  const file = join(folder, 'id');
  if (!existsSync(file)) writeFileSync(file, randomUUID());
  return readFileSync(file, 'utf8');
}
