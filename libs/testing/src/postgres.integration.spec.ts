import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type * as Fs from 'node:fs';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import type * as NewDataFolder from './new-data-folder';
import { startPostgres } from './postgres';
import type * as DataFolder from './postgres/data-folder';
import type { PostgresServer } from './postgres/postgres-server';
import type { PreparedData } from './postgres/prepared-data';
import { allGone } from './postgres/process-family';
import { preparedDataFolder } from './workspace';

let mockInitdbFails = false;
/** Where new folders are made; null: where those of tests are. */
let mockTemporary: string | null = null;

jest.mock('./new-data-folder', () => {
  const actual = jest.requireActual<typeof NewDataFolder>('./new-data-folder');
  const { mkdtempSync: make } = jest.requireActual<typeof Fs>('node:fs');
  const newDataFolder: typeof actual.newDataFolder = (name) =>
    mockTemporary === null ? actual.newDataFolder(name) : make(`${mockTemporary}/${name}-`);
  return { ...actual, newDataFolder };
});

jest.mock('./postgres/data-folder', () => {
  const actual = jest.requireActual<typeof DataFolder>('./postgres/data-folder');
  const prepareDataFolder: typeof actual.prepareDataFolder = async (account, ...rest) => {
    if (!mockInitdbFails) return actual.prepareDataFolder(account, ...rest);
    mkdirSync(join(account.home, 'data.new'));
    throw new Error('initdb failed');
  };
  return { ...actual, prepareDataFolder };
});

describe('startPostgres', () => {
  const query = async (url: string, sql: string) => {
    const client = new Client({ connectionString: url.replace(/\/tollgate$/, '/postgres') });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query<{ value: string }>(sql)).rows.map(({ value }) => value);
    } finally {
      await client.end();
    }
  };

  it('keeps what was committed, its port and its address over a kill and a restart', async () => {
    const server = await startPostgres();
    const { url } = server;
    await query(url, `CREATE TABLE kept AS SELECT 'here' AS value`);
    await server.kill();
    await expect(query(url, 'SELECT 1')).rejects.toThrow();
    await server.restart();
    expect(server.url).toBe(url);
    expect(await query(url, 'SELECT value FROM kept')).toEqual(['here']);
    await server.stop();
    expect(() => process.kill(server.pid, 0)).toThrow();
  });

  it('begins with prepared data, which are made once, and anew where they are made from something else', async () => {
    const fill = jest.fn((url: string) => query(url, `CREATE TABLE filled AS SELECT 'here' AS value`));
    const ofSpec = { name: `spec-${process.pid}`, madeFrom: 'one', fill };
    const archives = () => readdirSync(preparedDataFolder()).filter((file) => file.startsWith(`${ofSpec.name}.`));
    const started: PostgresServer[] = [];
    const start = async (prepared: PreparedData) => {
      const server = await startPostgres({ prepared });
      started.push(server);
      return server;
    };
    try {
      const [first, second] = await Promise.all([start(ofSpec), start(ofSpec)]);
      await query(first.url, `UPDATE filled SET value = 'changed'`);
      expect(await query(second.url, 'SELECT value FROM filled')).toEqual(['here']);
      const third = await start(ofSpec);
      expect(await query(third.url, 'SELECT value FROM filled')).toEqual(['here']);
      expect(fill).toHaveBeenCalledTimes(1);
      await start({ ...ofSpec, madeFrom: 'another' });
      expect(fill).toHaveBeenCalledTimes(2);
      expect(archives()).toHaveLength(1);
      const failure = new Error('no schema');
      const failing = { ...ofSpec, madeFrom: 'a failure', fill: () => Promise.reject(failure) };
      await expect(start(failing)).rejects.toBe(failure);
      expect(archives()).toEqual([]);
    } finally {
      await Promise.all(started.map((server) => server.stop()));
      for (const archive of archives()) rmSync(join(preparedDataFolder(), archive));
    }
  });

  it.each([
    ['', 'undefined'],
    [
      ', nor where its folder is named',
      `{ isTemporary: true, folder: fs.mkdtempSync(path.join(os.tmpdir(), 'tollgate-test-')) }`,
    ],
  ])('leaves no server behind when the process that started it is killed%s', async (_what, options) => {
    const script = `require('./libs/testing/src/postgres').startPostgres(${options}).then((server) => console.log(server.pid))`;
    const parent = spawn(process.execPath, ['--import', 'tsx', '-e', script], { stdio: ['ignore', 'pipe', 'ignore'] });
    const [output] = (await once(parent.stdout, 'data')) as [Buffer];
    const pid = Number(output.toString());
    parent.kill('SIGKILL');
    await allGone([pid]);
  });

  it('says plainly that a folder is in use, and leaves its server alone', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tollgate-test-'));
    const first = await startPostgres({ folder });
    await expect(startPostgres({ folder })).rejects.toThrow(/already runs on .* \(process \d+\)\. Stop it first/);
    expect(await query(first.url, `SELECT 'still here' AS value`)).toEqual(['still here']);
    await first.stop();
    const again = await startPostgres({ folder });
    await again.stop();
    rmSync(folder, { recursive: true });
  });

  describe('that cannot start leaves nothing behind', () => {
    let temporary: string;

    beforeEach(() => {
      temporary = mkdtempSync(join(tmpdir(), 'tollgate-test-'));
      chmodSync(temporary, 0o755);
      mockTemporary = temporary;
    });
    afterEach(() => {
      mockTemporary = null;
      rmSync(temporary, { recursive: true });
    });

    it('where its port is taken, which it says plainly', async () => {
      const first = await startPostgres({ folder: join(temporary, 'first') });
      const port = Number(new URL(first.url).port);
      const before = readdirSync(temporary);
      await expect(startPostgres({ port })).rejects.toThrow(`Port ${port} is taken.`);
      expect(readdirSync(temporary)).toEqual(before);
      await first.stop();
    });

    it('where initdb fails', async () => {
      mockInitdbFails = true;
      await expect(startPostgres()).rejects.toThrow('initdb failed');
      mockInitdbFails = false;
      expect(readdirSync(temporary)).toEqual([]);
    });
  });

  it('protects durable data with a password, and syncs commits to the disk', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tollgate-test-'));
    const server = await startPostgres({ folder, durable: true });
    const withoutPassword = new URL(server.url);
    withoutPassword.password = '';
    await expect(query(withoutPassword.toString(), 'SELECT 1')).rejects.toThrow(/password/);
    expect(await query(server.url, `SELECT current_setting('fsync') AS value`)).toEqual(['on']);
    await server.stop();
    rmSync(folder, { recursive: true });
  });
});
