import { setTimeout as delay } from 'node:timers/promises';
import type { ProvenBlock } from './operate-docs';
import { seconds } from './step';
import type { Site, Step } from './step';
import { sayBilled, sayTraffic, underTraffic } from './traffic-proof';
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
      const sent: TrafficResult[] = [];
      const through = async (block: ProvenBlock) => {
        const result = await follow(site, block);
        sent.push(result);
        return result;
      };
      // A machine that builds has less for its callers: a build is told, but not held to anything.
      const build = await through('pull');
      say(`${build.requests} requests meanwhile, ${build.failed.length} failed`);
      for (const block of ['servers', 'records', 'rest'] as const) say(sayTraffic(await through(block)));
      say(`migrations: ${applied}, then ${await migrations(site)}`);
      const { events } = await installation.recount();
      say(sayBilled(events, sent));
      await installation.switchTo(from);
      await installation.run('docker compose --profile cli build');
      say(sayTraffic(await through('back')));
      const ledger = await installation.recount();
      say(`back: ${sayBilled(ledger.events, sent)}`);
      say(`usage recount: ${JSON.stringify(ledger)}`);
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
