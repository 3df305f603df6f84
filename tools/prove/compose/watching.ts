import { setTimeout as delay } from 'node:timers/promises';
import { parse } from 'yaml';
import { z } from 'zod';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasImage } from './docker-check';
import { makeStandIns } from './stand-ins';
import { seconds } from './step';
import type { Site, Step } from './step';

const file = z.object({
  services: z.record(z.string(), z.object({ image: z.string().optional(), profiles: z.array(z.string()).default([]) })),
});
const targets = z.object({
  data: z.object({ activeTargets: z.array(z.object({ labels: z.object({ job: z.string() }), health: z.string() })) }),
});
const rules = z.object({
  data: z.object({ groups: z.array(z.object({ rules: z.array(z.object({ name: z.string(), health: z.string() })) })) }),
});
const patienceMs = 60_000;
/** Longer than services gather spans before they send them. */
const exportMs = 8_000;

export const watching: Step = {
  name: 'Prometheus, Grafana and the collector',
  async run(site) {
    const { installation, say } = site;
    const { services } = file.parse(
      parse(readFileSync(join(installation.checkout, 'docker-compose.yml'), 'utf8'), { merge: true }),
    );
    const watchers = Object.entries(services).filter(([, { profiles }]) => profiles.includes('observability'));
    const missing: string[] = [];
    for (const [name, { image = '' }] of watchers) if (!(await isHad(name, image, site))) missing.push(name);
    if (missing.length === 0) say(`started in ${seconds((await installation.follow('watch')).tookMs)}`);
    else {
      say(`NOT CHECKED: ${missing.join(', ')}, because the image can neither be found nor pulled`);
      await startWhatThereIs(
        site,
        watchers.map(([name]) => name).filter((name) => !missing.includes(name)),
      );
    }
    if (!missing.includes('prometheus')) say(await sayPrometheus(installation));
    await installation.run('docker compose --profile observability rm -s -f prometheus grafana collector');
    await installation.follow('up');
  },
};

/** Prometheus is a package of Debian, too; the others are in none. */
async function isHad(name: string, image: string, { installation, say }: Site): Promise<boolean> {
  if (await hasImage(image)) return true;
  if (name !== 'prometheus') return false;
  try {
    await makeStandIns([image], installation.folder);
    say(`${image} is made from Debian's package, whose version may be another`);
    return true;
  } catch (error) {
    say(`${image} cannot be made: ${String(error)}`);
    return false;
  }
}

/** Takes OTLP over HTTP as a collector does, and tells how many posts came. */
const receiver = `
  let posts = 0;
  require("node:http").createServer((request, response) => {
    if (request.method === "POST" && request.url === "/v1/traces") posts += 1;
    request.resume().on("end", () => response.end(String(posts)));
  }).listen(4318);
  process.on("SIGTERM", () => process.exit());`;

/**
 * Without an image of the collector, a few lines of Node take its place: what is shown is that edge and
 * inference send their spans.
 */
async function startWhatThereIs({ installation, apiKey, say }: Site, names: string[]): Promise<void> {
  if (names.length > 0)
    await installation.run(`docker compose --profile observability up -d --wait ${names.join(' ')}`);
  if (names.includes('collector')) return;
  const container = `${installation.project}-receiver`;
  await installation.run(
    `docker run -d --rm --name ${container} --network ${installation.project}_inside --network-alias collector --entrypoint node ${installation.imageOf('sandbox')} -e '${receiver}'`,
  );
  try {
    await installation.run('docker compose up -d --wait', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' });
    await installation.complete(apiKey);
    await delay(exportMs);
    const posts = Number(await installation.fetchFrom(container, 'http://127.0.0.1:4318/'));
    if (posts < 2) throw new Error(`${posts} posts with spans came, not those of edge and inference`);
    say(`instead of the collector, a receiver of OTLP: ${posts} posts with spans of edge and inference`);
  } finally {
    await installation.run(`docker stop ${container}`);
  }
}

/** Waits until every service was scraped and every rule evaluated. */
async function sayPrometheus(installation: Site['installation']): Promise<string> {
  const until = Date.now() + patienceMs;
  for (;;) {
    const { activeTargets } = targets.parse(await ask(installation, 'targets')).data;
    const all = rules.parse(await ask(installation, 'rules')).data.groups.flatMap((group) => group.rules);
    const up = activeTargets.filter(({ health }) => health === 'up');
    const well = all.filter(({ health }) => health === 'ok');
    const jobs = new Set(up.map(({ labels }) => labels.job));
    if (jobs.size === 5 && up.length === activeTargets.length && all.length > 0 && well.length === all.length)
      return `Prometheus: ${up.length} of ${activeTargets.length} targets up, ${well.length} of ${all.length} rules evaluated`;
    if (Date.now() > until) throw new Error(`targets: ${JSON.stringify(activeTargets)}, rules: ${JSON.stringify(all)}`);
    await delay(1_000);
  }
}

/** Prometheus is on the inside network only: edge's container asks it. */
async function ask(installation: Site['installation'], what: string): Promise<unknown> {
  const [edge = ''] = await installation.running('edge');
  return JSON.parse(await installation.fetchFrom(edge, `http://prometheus:9090/api/v1/${what}`));
}
