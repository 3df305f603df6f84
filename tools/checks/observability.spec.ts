import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { parse } from 'yaml';
import { z } from 'zod';
import { workspaceRoot } from '../stack/workspace-root';
import { labelsIn, metricsIn } from './prom-names';

const read = (path: string) => readFileSync(join(workspaceRoot, path), 'utf8');

const rulesFile = z.object({
  groups: z.array(
    z.object({
      name: z.string(),
      rules: z.array(
        z.strictObject({
          alert: z.string().regex(/^[A-Z][A-Za-z]+$/),
          expr: z.string(),
          for: z.string().regex(/^\d+[sm]$/),
          labels: z.strictObject({ severity: z.enum(['page', 'ticket']) }),
          annotations: z.strictObject({ summary: z.string().min(20) }),
        }),
      ),
    }),
  ),
});
const dashboardFile = z.object({
  uid: z.string(),
  title: z.string(),
  panels: z.array(
    z.object({
      title: z.string(),
      datasource: z.object({ uid: z.string() }),
      gridPos: z.object({ x: z.number(), y: z.number(), w: z.number(), h: z.number() }),
      targets: z.array(z.object({ expr: z.string(), legendFormat: z.string() })).min(1),
    }),
  ),
});

const rules = rulesFile
  .parse(parse(read('deploy/observability/alert-rules.yml')))
  .groups.flatMap((group) => group.rules);
const dashboards = readdirSync(join(workspaceRoot, 'deploy/observability/grafana/dashboards')).map((file) =>
  dashboardFile.parse(JSON.parse(read(`deploy/observability/grafana/dashboards/${file}`))),
);
const panels = dashboards.flatMap((dashboard) => dashboard.panels);
const expressions: [string, string][] = [
  ...rules.map(({ alert, expr }): [string, string] => [alert, expr]),
  ...panels.flatMap(({ title, targets }) => targets.map(({ expr }): [string, string] => [title, expr])),
];

/** Every source of the services and of the library that they share. */
const sources = ['apps', 'libs/observability']
  .flatMap((folder) =>
    readdirSync(join(workspaceRoot, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
  )
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts') && !file.includes('dashboard/'))
  .map(read)
  .filter((source) => source.includes('prom-client'))
  .join('\n');
const process = new Registry();
collectDefaultMetrics({ register: process });
const defined = new Set([
  'up',
  ...[...sources.matchAll(/'((?:tollgate|edge|catalog)_[a-z0-9_]+)'/g)].map(([, name = '']) => name),
  ...process.getMetricsAsArray().map(({ name }) => name),
]);
/** Those of metrics, and those that Prometheus adds. */
const labels = new Set([
  ...['job', 'instance', 'le'],
  ...[...sources.matchAll(/labelNames: \[([^\]]+)\]/g)].flatMap(([, list = '']) => list.match(/\w+/g) ?? []),
]);

it('reads the names and labels of an expression', () => {
  const expression =
    'histogram_quantile(0.99, sum by (le, job) (rate(a_seconds_bucket{b=~"5..",c!="x{y}"}[5m]))) > 1e3 and max(d_total) == 0 or absent(up{job="e"})';
  expect(metricsIn(expression)).toEqual(['a_seconds', 'd_total', 'up']);
  expect(labelsIn(expression).sort()).toEqual(['b', 'c', 'job', 'le']);
});

it.each(expressions)('%s reads metrics that the services have: %s', (_name, expression) => {
  const metrics = metricsIn(expression);
  expect(metrics).not.toEqual([]);
  expect(metrics.filter((name) => !defined.has(name))).toEqual([]);
  expect(labelsIn(expression).filter((label) => !labels.has(label))).toEqual([]);
  expect(expression.split('(')).toHaveLength(expression.split(')').length);
});

it('asks only for jobs that are scraped, on the ports of their images', () => {
  const scraped = z
    .object({
      scrape_configs: z.array(
        z.object({
          job_name: z.string(),
          dns_sd_configs: z.array(z.object({ names: z.array(z.string()), port: z.number() })),
        }),
      ),
    })
    .parse(parse(read('deploy/observability/prometheus.yml'))).scrape_configs;
  const dockerfile = read('Dockerfile');
  for (const { job_name, dns_sd_configs } of scraped) {
    expect(dns_sd_configs.map(({ names }) => names)).toEqual([[job_name]]);
    const stage = dockerfile.slice(dockerfile.indexOf(`FROM runtime AS ${job_name}`));
    expect([job_name, /INTERNAL_PORT=(\d+)/.exec(stage)?.[1]]).toEqual([job_name, String(dns_sd_configs[0]?.port)]);
  }
  const jobs = expressions
    .flatMap(([, expr]) => [...expr.matchAll(/job=~?"([^"]+)"/g)])
    .flatMap(([, all = '']) => all.split('|'));
  expect(jobs.filter((job) => !scraped.some(({ job_name }) => job_name === job))).toEqual([]);
});

describe('the dashboards', () => {
  it('are those that the documentation names, and read the data source that is there', () => {
    expect(dashboards.map(({ title }) => title).sort()).toEqual(['Providers', 'Tollgate overview']);
    const { datasources } = z
      .object({ datasources: z.array(z.object({ uid: z.string() })) })
      .parse(parse(read('deploy/observability/grafana/provisioning/datasources/prometheus.yaml')));
    expect([...new Set(panels.map(({ datasource }) => datasource.uid))]).toEqual(datasources.map(({ uid }) => uid));
  });

  it('are mounted where Grafana looks for them', () => {
    const { providers } = z
      .object({ providers: z.array(z.object({ options: z.object({ path: z.string() }) })) })
      .parse(parse(read('deploy/observability/grafana/provisioning/dashboards/dashboards.yaml')));
    for (const { options } of providers)
      expect(read('docker-compose.yml')).toContain(`./deploy/observability/grafana/dashboards:${options.path}:ro`);
  });

  it('have no panel over another', () => {
    for (const { panels: own } of dashboards)
      for (const [index, { gridPos: a }] of own.entries())
        for (const { gridPos: b } of own.slice(index + 1))
          expect(a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h).toBe(false);
  });
});

describe('the runbook', () => {
  const runbook = read('docs/operate.md');
  const sections = new Map(
    runbook
      .split(/^### /m)
      .slice(1)
      .map((section): [string, string] => {
        const [title = ''] = section.split('\n');
        return [title.trim(), section];
      }),
  );

  it.each(rules.map(({ alert }) => [alert]))('says of %s what it means, what to look at and what to do', (alert) => {
    const section = sections.get(alert) ?? '';
    for (const part of ['**Means**', '**Look**', '**Do**'])
      expect([alert, part, section.includes(part)]).toEqual([alert, part, true]);
  });

  it('names no alert that is gone', () => {
    const alerts = rules.map(({ alert }) => alert);
    expect(
      [...sections]
        .filter(([, text]) => text.includes('**Means**'))
        .map(([title]) => title)
        .sort(),
    ).toEqual(alerts.sort());
  });
});

it('has the alerts that docs/cluster.md names for what befalls a cluster, and their rules look at it', () => {
  const [, table = ''] = read('docs/cluster.md').split('## What to watch');
  const rows = new Map(
    [...table.matchAll(/^\| ([^|`]+?) +\| (.+) \|$/gm)].map(([, what = '', text = '']) => [what, text]),
  );
  const rulesFor = (what: string) =>
    [...(rows.get(what) ?? '').matchAll(/`([A-Z]\w+)`/g)].map(([, name]) => rules.find(({ alert }) => alert === name));
  const looksAt: Record<string, string[]> = {
    'quorum of NATS lost': ['tollgate_metering_pending_messages', 'tollgate_inference_pending_usage_events'],
    'one copy in a cluster': ['tollgate_metering_stream_copies', 'tollgate_metering_stream_copies_wanted'],
    'a NATS node away': ['tollgate_metering_stream_copies', 'tollgate_metering_stream_copies_wanted'],
    'no NATS server reached': ['tollgate_ready'],
    'limits not shared': ['edge_rate_limit_shared'],
  };
  for (const [what, metrics] of Object.entries(looksAt)) {
    const named = rulesFor(what);
    expect([what, named.length > 0 && !named.includes(undefined)]).toEqual([what, true]);
    expect([what, named.flatMap((rule) => metricsIn(rule?.expr ?? ''))]).toEqual([
      what,
      expect.arrayContaining(metrics),
    ]);
  }
});
