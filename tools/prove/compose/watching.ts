import { setTimeout as delay } from 'node:timers/promises';
import { parse } from 'yaml';
import { z } from 'zod';
import { readdirSync, readFileSync } from 'node:fs';
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
const dashboard = z.object({ panels: z.array(z.object({ targets: z.array(z.object({ expr: z.string() })) })) });
const answer = z.object({
  status: z.string(),
  data: z.object({ result: z.array(z.unknown()) }).optional(),
  error: z.string().optional(),
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
    const had: string[] = [];
    for (const [name, { image = '' }] of watchers) if (await isHad(name, image, site)) had.push(name);
    if (had.length === watchers.length) say(`started in ${seconds((await installation.follow('watch')).tookMs)}`);
    else {
      const missing = watchers.map(([name]) => name).filter((name) => !had.includes(name));
      say(`NOT CHECKED: ${missing.join(', ')}, because the image can neither be found nor pulled`);
      if (had.length > 0)
        await installation.run(`docker compose --profile observability up -d --wait ${had.join(' ')}`);
    }
    say(await (had.includes('collector') ? sayCollector(site) : sayReceiver(site)));
    if (had.includes('prometheus')) {
      say(await sayPrometheus(installation));
      say(await sayDashboards(installation));
    }
    await installation.run('docker compose --profile observability rm -s -f prometheus grafana collector');
    await installation.follow('up');
  },
};

/** Prometheus is a package of Debian, too, and the collector is built of Go's; Grafana is neither. */
async function isHad(name: string, image: string, { installation, say }: Site): Promise<boolean> {
  if (await hasImage(image)) return true;
  if (name === 'grafana') return false;
  try {
    await makeStandIns([image], installation.folder);
    say(`${image} is made from packages`);
    return true;
  } catch (error) {
    say(`${image} cannot be made: ${String(error)}`);
    return false;
  }
}

/** One completion whose spans edge and inference send. */
async function completeTraced({ installation, apiKey }: Site): Promise<void> {
  await installation.run('docker compose up -d --wait', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' });
  await installation.complete(apiKey);
  await delay(exportMs);
}

/** The collector, with its configuration as it is, counts in its log what it passes on. */
async function sayCollector(site: Site): Promise<string> {
  await completeTraced(site);
  const { stdout } = await site.installation.run('docker compose --profile observability logs collector 2>&1');
  const sum = (name: string) =>
    [...stdout.matchAll(new RegExp(`"${name}": (\\d+)`, 'g'))].reduce((all, [, count]) => all + Number(count), 0);
  const [resources, spans] = [sum('resource spans'), sum('spans')];
  if (resources < 2) throw new Error(`the collector had no spans of edge and inference: ${stdout.slice(-2_000)}`);
  return `the collector: ${spans} spans of edge and inference`;
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
async function sayReceiver(site: Site): Promise<string> {
  const { installation } = site;
  const container = `${installation.project}-receiver`;
  await installation.run(
    `docker run -d --rm --name ${container} --network ${installation.project}_inside --network-alias collector --entrypoint node ${installation.imageOf('sandbox')} -e '${receiver}'`,
  );
  try {
    await completeTraced(site);
    const posts = Number(await installation.fetchFrom(container, 'http://127.0.0.1:4318/'));
    if (posts < 2) throw new Error(`${posts} posts with spans came, not those of edge and inference`);
    return `instead of the collector, a receiver of OTLP: ${posts} posts with spans of edge and inference`;
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

/**
 * What Grafana would ask for: Prometheus answers every expression of the dashboards. Few have series where
 * little went on.
 */
async function sayDashboards(installation: Site['installation']): Promise<string> {
  const folder = join(installation.checkout, 'deploy/observability/grafana/dashboards');
  const expressions = readdirSync(folder).flatMap((name) =>
    dashboard.parse(JSON.parse(readFileSync(join(folder, name), 'utf8'))).panels.flatMap(({ targets: all }) => all),
  );
  let withSeries = 0;
  for (const { expr } of expressions) {
    const { status, data, error } = answer.parse(await ask(installation, `query?query=${encodeURIComponent(expr)}`));
    if (status !== 'success') throw new Error(`Prometheus does not answer ${expr}: ${error}`);
    if (data && data.result.length > 0) withSeries += 1;
  }
  if (withSeries === 0) throw new Error('no expression of the dashboards has a series');
  return `Prometheus answers the ${expressions.length} expressions of the dashboards, ${withSeries} of them with series`;
}

/** Prometheus is on the inside network only: edge's container asks it. */
async function ask(installation: Site['installation'], what: string): Promise<unknown> {
  const [edge = ''] = await installation.running('edge');
  return JSON.parse(await installation.fetchFrom(edge, `http://prometheus:9090/api/v1/${what}`));
}
