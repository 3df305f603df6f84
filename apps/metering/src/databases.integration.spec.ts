import { patience, startPostgres } from '@tollgate/testing';
import type { PostgresServer } from '@tollgate/testing';
import { Databases } from './databases';
import { settingsWith } from './testing/metering-database';

let postgres: PostgresServer;
let databases: Databases;

beforeAll(async () => {
  postgres = await startPostgres();
  const settings = settingsWith({ DATABASE_URL: new URL('postgres', postgres.url).href });
  settings.operationTimes.connectTimeoutMs *= patience;
  databases = new Databases(settings);
});
afterAll(async () => {
  await databases.onApplicationShutdown();
  await postgres.stop();
});

it('says that Postgres answers while all connections are at work, and others wait for one', async () => {
  expect(await databases.answers()).toBe(true);
  const works = Array.from({ length: 30 }, () => databases.operations.$queryRaw`SELECT pg_sleep(1.2)::text`);
  const ends = Promise.allSettled(works);
  expect(await databases.answers()).toBe(true);
  await ends;
});

it('says that Postgres is away, and that it is back with the first question after its return', async () => {
  expect(await databases.answers()).toBe(true);
  await postgres.kill();
  expect(await databases.answers()).toBe(false);
  await postgres.start();
  expect(await Promise.all([databases.answers(), databases.answers()])).toEqual([true, true]);
});
