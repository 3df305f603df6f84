import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, chownSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { eventually } from './eventually';
import { newDataFolder } from './new-data-folder';
import { startPostgres } from './postgres';
import { findPostgresBinaries } from './postgres/postgres-binaries';
import type { PostgresServer } from './postgres/postgres-server';
import { chooseServerAccount } from './postgres/server-account';
import type { ServerAccount } from './postgres/server-account';
import { startProxyThread } from './proxy-thread';
import type { ProxyThread } from './proxy-thread';
import { serverEnvironment } from './server-environment';

/** A server, and the folder of its data, which goes with it. */
interface Member {
  server: PostgresServer;
  folder: string;
}

const standbyName = 'standby';
/** How long a standby may take to connect: it tries every five seconds. */
const standbyPatienceMs = 30_000;
/** Enough for what is written while a copy is made. */
const settings = [`ALTER SYSTEM SET wal_keep_size = '256MB'`, 'SELECT pg_reload_conf()'];

/** Starts a Postgres and a streaming standby of it, both with temporary data. */
export async function startPostgresPair(): Promise<PostgresPair> {
  const folder = newDataFolder('postgres');
  const primary = { server: await startPostgres({ folder, isTemporary: true }), folder };
  let stop = () => primary.server.stop();
  try {
    for (const sql of settings) await query(primary.server, sql);
    const pair = new PostgresPair(primary, await startProxyThread(portOf(primary.server)));
    stop = () => pair.stop();
    await pair.rebuildStandby();
    return pair;
  } catch (error) {
    await stop();
    throw error;
  }
}

/** A primary and its standby. The address of the primary moves with the role. */
export class PostgresPair {
  private standby: Member | null = null;
  /** The way by which the standby hears of the primary's writes. */
  private wal: ProxyThread | null = null;

  constructor(
    private primary: Member,
    private readonly address: ProxyThread,
  ) {}

  /** Leads to the primary, whichever that is. */
  get url(): string {
    return withPort(this.primary.server.url, this.address.port);
  }

  /** Of the primary of now. */
  get primaryUrl(): string {
    return this.primary.server.url;
  }

  /** True: a commit waits for the standby, too. Resolves when that is so. */
  async setSynchronous(isOn: boolean): Promise<void> {
    const { server } = this.primary;
    await query(server, `ALTER SYSTEM SET synchronous_standby_names = '${isOn ? '*' : ''}'`);
    await query(server, 'SELECT pg_reload_conf()');
    const state = isOn ? 'sync' : 'async';
    await eventually(async () => (await this.replication('sync_state')) === state, standbyPatienceMs);
  }

  /** Not a byte passes by the address of the primary until `resume`. */
  hang(): Promise<void> {
    return this.address.freeze();
  }

  resume(): Promise<void> {
    return this.address.resume();
  }

  /** From now on the standby hears nothing more of the primary, which notices nothing. */
  async holdStandbyBack(): Promise<void> {
    await this.wal?.freeze();
  }

  /** It hears of all again. */
  async letStandbyOn(): Promise<void> {
    await this.wal?.resume();
  }

  /**
   * Kills the primary, promotes the standby and moves the address. What the standby had not heard is lost.
   * @throws Error when there is none.
   */
  async failOver(): Promise<void> {
    const { primary, standby } = this;
    if (!standby) throw new Error('There is no standby.');
    await primary.server.kill();
    await this.wal?.close();
    this.standby = null;
    this.primary = standby;
    await query(standby.server, 'SELECT pg_promote(true, 60)');
    await query(standby.server, `ALTER SYSTEM SET synchronous_standby_names = ''`);
    await query(standby.server, 'SELECT pg_reload_conf()');
    await this.address.aim(portOf(standby.server));
    await primary.server.stop();
  }

  /** Makes a new standby out of a copy of the primary. Resolves when it has caught up. */
  async rebuildStandby(): Promise<void> {
    const { primary } = this;
    this.wal = await startProxyThread(portOf(primary.server));
    this.standby = await copyOf(primary, this.wal.port);
    await eventually(async () => (await this.replication('state')) === 'streaming', standbyPatienceMs);
  }

  /** Stops all of it. @throws AggregateError of those that did not stop. */
  async stop(): Promise<void> {
    const ends = await Promise.allSettled([
      ...[this.address.close(), this.wal?.close()],
      ...[this.standby?.server.stop(), this.primary.server.stop()],
    ]);
    const failed = ends.flatMap((end): unknown[] => (end.status === 'rejected' ? [end.reason] : []));
    if (failed.length > 0) throw new AggregateError(failed, 'A part of the pair did not stop.');
  }

  private async replication(column: 'state' | 'sync_state'): Promise<string | undefined> {
    const [found] = await query(
      this.primary.server,
      `SELECT ${column} AS value FROM pg_stat_replication WHERE application_name = '${standbyName}'`,
    );
    return found;
  }
}

/**
 * A standby out of the files of a running server. The Postgres that npm brings has no pg_basebackup; this is
 * what that does.
 * @see https://www.postgresql.org/docs/18/continuous-archiving.html#BACKUP-LOWLEVEL-BASE-BACKUP
 */
async function copyOf(primary: Member, walPort: number): Promise<Member> {
  const folder = newDataFolder('postgres');
  const account = chooseServerAccount(findPostgresBinaries(), folder);
  try {
    await copyData(primary, account, walPort);
  } catch (error) {
    for (const made of [folder, account.base]) rmSync(made, { recursive: true, force: true });
    throw error;
  }
  return { server: await startPostgres({ folder, isTemporary: true }), folder };
}

async function copyData(primary: Member, account: ServerAccount, walPort: number): Promise<void> {
  const from = join(chooseServerAccount(findPostgresBinaries(), primary.folder).home, 'data');
  const data = join(account.home, 'data');
  const client = new Client({ connectionString: maintenanceUrl(primary.server) });
  await client.connect();
  try {
    await client.query(`SELECT pg_backup_start('standby', true)`);
    await copyFiles(account, from, data);
    const { rows } = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop(false)');
    writeFileSync(join(data, 'backup_label'), rows[0]?.labelfile ?? '');
  } finally {
    await client.end();
  }
  const wal = join(data, 'pg_wal');
  for (const name of readdirSync(wal)) rmSync(join(wal, name), { recursive: true });
  for (const name of ['postmaster.pid', 'postmaster.opts']) rmSync(join(data, name), { force: true });
  writeFileSync(join(data, 'standby.signal'), '');
  const source = `host=127.0.0.1 port=${walPort} user=postgres application_name=${standbyName}`;
  appendFileSync(join(data, 'postgresql.auto.conf'), `\nprimary_conninfo = '${source}'\n`);
  own(account, data, ['backup_label', 'standby.signal']);
}

/**
 * As the account of the server. Files that vanish meanwhile are no fault: the write-ahead log knows of it.
 * @throws Error with what else `cp` says.
 */
async function copyFiles(account: ServerAccount, from: string, to: string): Promise<void> {
  const [program, ...programArguments] = [...account.wrapper, 'cp', '-Rp', from, to];
  const child = spawn(program, programArguments, {
    ...account.owner,
    ...{ cwd: '/', env: serverEnvironment({ LC_ALL: 'C' }), stdio: ['ignore', 'ignore', 'pipe'] },
  });
  let said = '';
  child.stderr.on('data', (data: Buffer) => (said += data.toString()));
  await once(child, 'close');
  const faults = said.split('\n').filter((line) => line !== '' && !line.endsWith('No such file or directory'));
  if (faults.length > 0 || child.exitCode === null || (child.exitCode !== 0 && said === ''))
    throw new Error(`The data of the primary could not be copied (${child.exitCode}):\n${faults.join('\n')}`);
}

function own({ owner }: ServerAccount, folder: string, names: readonly string[]): void {
  if (!owner) return;
  for (const name of names) chownSync(join(folder, name), owner.uid, owner.gid);
}

/** The column `value` of each row. */
async function query(server: PostgresServer, sql: string): Promise<string[]> {
  const client = new Client({ connectionString: maintenanceUrl(server) });
  await client.connect();
  try {
    return (await client.query<{ value: string }>(sql)).rows.map(({ value }) => value);
  } finally {
    await client.end();
  }
}

function maintenanceUrl({ url }: PostgresServer): string {
  return url.replace(/\/tollgate$/, '/postgres');
}

function portOf({ url }: PostgresServer): number {
  return Number(new URL(url).port);
}

function withPort(url: string, port: number): string {
  const moved = new URL(url);
  moved.port = String(port);
  return moved.href;
}
