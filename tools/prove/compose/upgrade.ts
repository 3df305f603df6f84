import { setTimeout as delay } from 'node:timers/promises';
import type { ProvenBlock } from './operate-docs';
import { seconds } from './step';
import type { Site, Step } from './step';
import { sayTraffic, underTraffic } from './traffic-proof';
import type { TrafficResult } from './traffic-proof';

const calmMs = 2_000;

export function upgrade(from: string): Step {
  return {
    name: `upgrade from ${from.slice(0, 7)} under traffic, and back`,
    async run(site) {
      const { installation, say } = site;
      await installation.checkOut(from);
      await installation.follow('wipe');
      say(`the old release built in ${seconds((await installation.run('docker compose --profile cli build')).tookMs)}`);
      await installation.run('docker compose up -d --wait');
      await installation.trustProxy();
      site.apiKey = await installation.createKey();
      const applied = await migrations(site);
      await installation.rememberImages();
      // A machine that builds has less for its callers: a build is told, but not held to anything.
      const build = await follow(site, 'pull');
      say(`${build.requests} requests meanwhile, ${build.failed.length} failed`);
      for (const block of ['servers', 'records', 'rest'] as const) say(sayTraffic(await follow(site, block)));
      say(`migrations: ${applied}, then ${await migrations(site)}`);
      say(`usage recount: ${JSON.stringify(await installation.recount())}`);
      await installation.switchTo(from);
      await installation.run('docker compose --profile cli build');
      say(sayTraffic(await follow(site, 'back')));
      say(`back, usage recount: ${JSON.stringify(await installation.recount())}`);
    },
  };
}

async function follow({ installation, apiKey, perSecond, say }: Site, block: ProvenBlock): Promise<TrafficResult> {
  return underTraffic(installation.baseUrl, apiKey, perSecond, async () => {
    await delay(calmMs);
    say(`${block}: ${seconds((await installation.follow(block)).tookMs)}`);
    await delay(calmMs);
  });
}

async function migrations({ installation }: Site): Promise<number> {
  const { stdout } = await installation.run(
    'docker compose exec -T postgres psql -U tollgate -d tollgate -Atc "SELECT count(*) FROM _prisma_migrations WHERE finished_at IS NOT NULL"',
  );
  return Number(stdout);
}
