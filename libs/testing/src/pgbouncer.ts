import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, copyFile, cp, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { takeFromDebian } from './debian-packages';
import { eventually } from './eventually';
import { withFileLock } from './file-lock';
import { freePort } from './free-port';
import { freeze } from './freeze';
import { isExecutable, namedOrOnPath, runProgram } from './programs';
import { serverEnvironment } from './server-environment';
import { toolsFolder } from './workspace';

const nobody = 65_534;
/** Linked with the C library of its own release, so only the machine's own sources will do. */
const choices = [
  { suite: null, packages: ['pgbouncer', 'libevent-2.1-7', 'libc-ares2'] },
  { suite: null, packages: ['pgbouncer', 'libevent-2.1-7t64', 'libcares2'] },
];

const howToProvide =
  'No pgbouncer was found, and it could not be taken from the Debian or Ubuntu package. Install it (`apt install pgbouncer`), or name one with PGBOUNCER_BIN.';

/**
 * Starts PgBouncer in transaction mode in front of a Postgres of ours: `PGBOUNCER_BIN`, else what is on PATH,
 * else Debian's or Ubuntu's package, unpacked once per clone. `settings` are further lines of its
 * configuration: https://www.pgbouncer.org/config.html
 * @throws Error naming the ways to provide the program.
 */
export async function startPgBouncer(postgresUrl: string, settings: readonly string[] = []): Promise<PgBouncer> {
  const program = await findPgBouncer();
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-pgbouncer-'));
  // It refuses to run as root, and whom root hands over to must be able to reach its files.
  const unpacked = program.startsWith(toolsFolder());
  if (unpacked) await cp(dirname(program), folder, { recursive: true });
  await chmod(folder, 0o755);
  const path = unpacked ? join(folder, 'pgbouncer') : program;
  const pooler = new PgBouncer(path, folder, new URL(postgresUrl), await freePort(), settings);
  await pooler.start();
  return pooler;
}

/**
 * A pooler in front of a Postgres, on the loopback address, that proofs can kill, freeze and start again on
 * the same port.
 */
export class PgBouncer {
  private child: ChildProcess | null = null;

  constructor(
    private readonly program: string,
    private readonly folder: string,
    private readonly postgres: URL,
    private readonly port: number,
    private readonly settings: readonly string[],
  ) {}

  /** Of the same database. */
  get url(): string {
    const url = new URL(this.postgres);
    url.port = String(this.port);
    return url.href;
  }

  /**
   * Starts the process and waits until it takes connections. `more`: lines that hold until its end, over
   * those of always.
   * @throws Error when it ends instead.
   */
  async start(more: readonly string[] = []): Promise<void> {
    const { folder, program } = this;
    const configuration = join(folder, 'pgbouncer.ini');
    const lines = [...configurationOf(this.postgres, this.port), ...this.settings, ...more, ''];
    await writeFile(configuration, lines.join('\n'));
    const child = spawn(program, [configuration], {
      stdio: 'ignore',
      cwd: '/',
      env: serverEnvironment(program.startsWith(folder) ? { LD_LIBRARY_PATH: folder } : {}),
      ...(process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {}),
    });
    this.child = child;
    const endWithUs = () => child.kill('SIGKILL');
    process.once('exit', endWithUs);
    child.once('exit', () => process.off('exit', endWithUs));
    await eventually(() => child.exitCode !== null || accepts(this.port));
    if (child.exitCode === null) return;
    await this.stop();
    throw new Error('pgbouncer ended at its start.');
  }

  /** Ends it, and every connection through it, at once. */
  async kill(): Promise<void> {
    const { child } = this;
    if (child && child.exitCode === null && child.signalCode === null && child.kill('SIGKILL'))
      await once(child, 'exit');
  }

  /** Freezes the process, and resolves once it is frozen: connections stay open and nothing answers. */
  async pause(): Promise<void> {
    if (this.child) await freeze(this.child);
  }

  resume(): void {
    this.child?.kill('SIGCONT');
  }

  /** Ends it for good. */
  async stop(): Promise<void> {
    await this.kill();
    await rm(this.folder, { recursive: true, force: true });
  }
}

async function findPgBouncer(): Promise<string> {
  const found = await namedOrOnPath('PGBOUNCER_BIN', ['pgbouncer']);
  if (found) return found;
  const folder = join(toolsFolder(), 'pgbouncer');
  const path = join(folder, 'pgbouncer');
  await mkdir(toolsFolder(), { recursive: true });
  return withFileLock(`${folder}.lock`, async () => {
    if (!(await isExecutable(path))) await unpack(folder);
    return path;
  });
}

async function unpack(target: string): Promise<void> {
  await takeFromDebian('pgbouncer', choices, howToProvide, async (unpacked) => {
    const folder = await mkdtemp(join(dirname(target), 'pgbouncer-new-'));
    const files = await readdir(unpacked, { recursive: true });
    const needed = files.filter((name) => name === 'usr/sbin/pgbouncer' || /\.so\.\d+$/.test(name));
    for (const file of needed) await copyFile(join(unpacked, file), join(folder, basename(file)));
    await runProgram('env', [`LD_LIBRARY_PATH=${folder}`, join(folder, 'pgbouncer'), '--version']);
    await rename(folder, target);
  });
}

/**
 * Its own default of 20 server connections, for all services:
 * https://www.pgbouncer.org/config.html#default_pool_size
 */
function configurationOf({ hostname, port, pathname, username }: URL, listenPort: number): string[] {
  return [
    '[databases]',
    `${pathname.slice(1)} = host=${hostname} port=${port} user=${username}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${listenPort}`,
    'unix_socket_dir =',
    'auth_type = any',
    'pool_mode = transaction',
  ];
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket.destroy() !== null));
    socket.once('error', () => resolve(false));
  });
}
