import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { newDataFolder } from './new-data-folder';
import { prepareDataFolder } from './postgres/data-folder';
import { findPostgresBinaries } from './postgres/postgres-binaries';
import { preparedArchive } from './postgres/prepared-data';
import type { PreparedData } from './postgres/prepared-data';
import { PostgresServer } from './postgres/postgres-server';
import { chooseServerAccount } from './postgres/server-account';
import type { ServerAccount } from './postgres/server-account';

export interface PostgresOptions {
  /** Where the data stay. Absent: a temporary folder, removed by `stop`. */
  folder?: string;
  /**
   * True: the folder and its data go with the server, as where no folder is named: `stop` removes them, and
   * so does the end of this process. Default: false where a folder is named.
   */
  isTemporary?: boolean;
  /** Absent: any free port. */
  port?: number;
  /** Absent: a file in the folder. */
  logFile?: string;
  /**
   * True: commits survive a power cut, and a password is needed. Default false, which is faster and right for
   * tests.
   */
  durable?: boolean;
  /** More of its configuration: `shared_buffers=16MB`. */
  settings?: readonly string[];
  /**
   * What the data of a new server hold. Absent: no database but Postgres's own. For tests: not with
   * `durable`.
   */
  prepared?: PreparedData;
}

/**
 * Starts a real Postgres from the binaries that npm installed, as root or as anyone.
 * @throws Error in plain words when it cannot: the folder's data are in use, the port is taken, the platform
 * has no binaries, prepared data are to be durable.
 */
export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  if (options.prepared && options.durable)
    throw new Error('Prepared data are for servers of tests, which are not durable.');
  const folder = options.folder ?? newDataFolder('postgres');
  const durable = options.durable ?? false;
  const isTemporary = options.isTemporary ?? options.folder === undefined;
  const { prepared } = options;
  let account: ServerAccount | null = null;
  try {
    account = chooseServerAccount(findPostgresBinaries(), folder);
    const server = new PostgresServer({
      account,
      data: await prepareDataFolder(account, durable, prepared ? await preparedArchive(prepared, startPostgres) : null),
      port: options.port ?? null,
      logFile: options.logFile ?? join(folder, 'postgres.log'),
      durable,
      settings: options.settings ?? [],
      temporaryFolder: isTemporary ? folder : null,
    });
    await server.start();
    return server;
  } catch (error) {
    const made = isTemporary ? [folder, account?.base ?? folder] : [];
    for (const each of made) rmSync(each, { recursive: true, force: true });
    throw error;
  }
}
