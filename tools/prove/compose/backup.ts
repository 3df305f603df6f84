import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Installation } from './installation';
import { makeStandIns } from './stand-ins';
import { hasImage } from './docker-check';
import { seconds } from './step';
import type { Step } from './step';
import { underTraffic } from './traffic-proof';

const loadMs = 5_000;

export const backup: Step = {
  name: 'backup, everything deleted, restored',
  async run({ installation, apiKey, perSecond, say }) {
    await underTraffic(installation.baseUrl, apiKey, perSecond, () => delay(loadMs));
    const before = await installation.recount();
    say(
      `backed up in ${seconds((await installation.follow('backup')).tookMs)}: ${sizes(join(installation.checkout, 'backup'))}`,
    );
    await installation.follow('wipe');
    say(`restored in ${seconds(await restore(installation))}`);
    say(await sameLedger(installation, before));
    // The proxy made itself a new authority: its volume holds nothing that must not be lost.
    await installation.trustProxy();
    say(`a completion with the old key: ${(await installation.complete(apiKey)).length} characters`);
  },
};

async function restore(installation: Installation): Promise<number> {
  const { tookMs } = await installation.follow('restore');
  return tookMs + (await installation.follow('database')).tookMs;
}

/** @throws Error where the ledger is another one. */
async function sameLedger(installation: Installation, before: object): Promise<string> {
  const after = await installation.recount();
  if (JSON.stringify(after) !== JSON.stringify(before))
    throw new Error(`the ledger was ${JSON.stringify(before)} and is ${JSON.stringify(after)}`);
  return `usage recount: ${JSON.stringify(after)}, as before`;
}

/** The other machine is another project, with a folder and volumes of its own: those of the first one stay. */
export const moving: Step = {
  name: 'another machine',
  async run({ installation, apiKey, perSecond, say }) {
    await underTraffic(installation.baseUrl, apiKey, perSecond, () => delay(loadMs));
    await installation.run('docker compose stop proxy');
    const before = await installation.recount();
    await installation.follow('backup');
    await installation.run('docker compose --profile "*" down');
    const other = await installation.another('backup');
    try {
      say(`restored there in ${seconds(await restore(other))}`);
      say(await sameLedger(other, before));
      await other.trustProxy();
      say(`there, a completion with the old key: ${(await other.complete(apiKey)).length} characters`);
    } finally {
      await other.removeContainers();
    }
    await installation.follow('up');
    await installation.trustProxy();
    say(await sameLedger(installation, before));
  },
};

const formerPostgres = 'postgres:15';

export const newPostgres: Step = {
  name: 'another major version of Postgres',
  async run({ installation, say }) {
    if (!(await hasImage(formerPostgres))) await makeStandIns([formerPostgres], installation.folder);
    await installation.follow('wipe');
    const file = join(installation.checkout, 'docker-compose.yml');
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replaceAll(/image: postgres:\d+/g, `image: ${formerPostgres}`));
    await installation.follow('up');
    await installation.trustProxy();
    const apiKey = await installation.createKey();
    say(`${await postgresVersion(installation)}: ${(await installation.complete(apiKey)).length} characters`);
    const before = await installation.recount();
    await installation.follow('backup');
    await installation.follow('volume');
    writeFileSync(file, text);
    say(`restored in ${seconds((await installation.follow('database')).tookMs)}`);
    say(await sameLedger(installation, before));
    say(
      `${await postgresVersion(installation)}: with the old key ${(await installation.complete(apiKey)).length} characters`,
    );
  },
};

/** What the server says of itself: `PostgreSQL 17.6`, say. */
async function postgresVersion(installation: Installation): Promise<string> {
  const ask = 'docker compose exec -T postgres psql -U tollgate -d tollgate -Atc "SHOW server_version"';
  return `Postgres ${(await installation.run(ask)).stdout.trim()}`;
}

function sizes(folder: string): string {
  return readdirSync(folder)
    .map((name) => `${name} ${(statSync(join(folder, name)).size / 1_024).toFixed(0)} KiB`)
    .join(', ');
}
