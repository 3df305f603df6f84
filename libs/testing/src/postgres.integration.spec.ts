import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { startPostgres } from './postgres';
import { allGone } from './postgres/process-family';

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

  it('leaves no server behind when the process that started it is killed', async () => {
    const script = `require('./libs/testing/src/postgres').startPostgres().then((server) => console.log(server.pid))`;
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

  it('says plainly that a port is taken, and leaves nothing behind', async () => {
    const first = await startPostgres();
    const port = Number(new URL(first.url).port);
    const { TMPDIR } = process.env;
    const temporary = mkdtempSync(join(tmpdir(), 'tollgate-test-'));
    chmodSync(temporary, 0o755);
    process.env.TMPDIR = temporary;
    await expect(startPostgres({ port })).rejects.toThrow(`Port ${port} is taken.`);
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
    expect(readdirSync(temporary)).toEqual([]);
    rmSync(temporary, { recursive: true });
    await first.stop();
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
