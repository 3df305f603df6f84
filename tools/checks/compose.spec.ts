import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { commandsOf, readmeBlocks } from '../readme-check/readme-blocks';
import { provenBlocks } from '../prove/compose/operate-docs';
import { workspaceRoot } from '../stack/workspace-root';
import { variablesReadBy } from './service-variables';

const read = (path: string) => readFileSync(join(workspaceRoot, path), 'utf8');
const volume = z.union([z.string(), z.object({ type: z.string(), source: z.string(), target: z.string() })]);
const compose = z
  .object({
    services: z.record(
      z.string(),
      z.object({
        image: z.string().optional(),
        build: z.object({ context: z.string(), target: z.string() }).optional(),
        ports: z.array(z.string()).optional(),
        networks: z.array(z.string()).optional(),
        profiles: z.array(z.string()).optional(),
        volumes: z.array(volume).default([]),
        depends_on: z.record(z.string(), z.object({ condition: z.string() })).default({}),
        healthcheck: z.object({ test: z.array(z.string()) }).optional(),
        user: z.string().optional(),
        read_only: z.boolean().optional(),
        environment: z.record(z.string(), z.unknown()).default({}),
        env_file: z.array(z.unknown()).optional(),
      }),
    ),
    networks: z.record(z.string(), z.object({ internal: z.boolean().optional() })),
    volumes: z.record(z.string(), z.unknown()),
  })
  .parse(parse(read('docker-compose.yml'), { merge: true }));
const services = Object.entries(compose.services);
const dockerfile = read('Dockerfile');
const makeSecrets = read('deploy/secrets/make-secrets.sh');

it('publishes the ports of the proxy and, to this machine only, the page of Grafana', () => {
  const published = services.filter(([, { ports }]) => ports);
  expect(published.map(([name]) => name)).toEqual(['proxy', 'grafana']);
  expect(compose.services.grafana?.ports).toEqual([expect.stringMatching(/^127\.0\.0\.1:/)]);
});

/** Grafana, because Docker publishes no port of a container that is on internal networks only; the collector, because a store of traces may be anywhere. */
it('lets only the proxy, inference, accounts (mail, OpenID), Grafana and the collector reach the outside', () => {
  expect(compose.networks.inside?.internal).toBe(true);
  expect(services.filter(([, { networks }]) => networks?.includes('outside')).map(([name]) => name)).toEqual([
    'proxy',
    'inference',
    'accounts',
    'grafana',
    'collector',
  ]);
});

it('starts what watches only when asked for, with its configuration read-only', () => {
  const watching = services.filter(([, { profiles }]) => profiles?.includes('observability'));
  expect(watching.map(([name]) => name)).toEqual(['prometheus', 'grafana', 'collector']);
  for (const [name, { image, volumes }] of watching) {
    expect(image).toMatch(/:v?\d+\.\d+\.\d+$/);
    const mounted = volumes.filter((one) => typeof one === 'string' && one.startsWith('./deploy/observability/'));
    expect([name, mounted.length > 0]).toEqual([name, true]);
    for (const one of mounted) expect(one).toMatch(/:ro$/);
  }
});

it('builds every service from a stage of the Dockerfile, and runs it without root, as a user of its own where it reads secrets, on a read-only disk', () => {
  const built = services.filter(([, { build }]) => build);
  expect(built.map(([name]) => name).sort()).toEqual(
    ['accounts', 'catalog', 'cli', 'edge', 'inference', 'metering', 'sandbox'].sort(),
  );
  for (const [name, { build, user, read_only }] of built) {
    expect(dockerfile).toMatch(new RegExp(`^FROM runtime AS ${build?.target}$`, 'm'));
    expect([name, read_only]).toEqual([name, true]);
    // The script that makes the secrets knows the user by its name; the image's own user is not root either.
    const [, number] =
      new RegExp(`\\b(?:${name}|${name === 'cli' ? 'operator' : name})=(\\d+)`).exec(makeSecrets) ?? [];
    expect([name, user]).toEqual([name, number && `${number}:${number}`]);
  }
  expect(dockerfile.indexOf('USER node')).toBeLessThan(dockerfile.indexOf('FROM runtime AS'));
  expect(dockerfile.slice(dockerfile.indexOf('FROM runtime AS'))).not.toContain('USER');
});

it('waits for what is healthy only where a health check tells', () => {
  const hasHealthCheck = (name: string) => {
    const service = compose.services[name];
    return service?.healthcheck !== undefined || service?.build !== undefined;
  };
  for (const [name, { depends_on }] of services)
    for (const [needed, { condition }] of Object.entries(depends_on))
      expect([
        name,
        needed,
        condition === 'service_healthy' ? hasHealthCheck(needed) : needed in compose.services,
      ]).toEqual([name, needed, true]);
});

it('mounts volumes that are declared and files that exist', () => {
  for (const [, { volumes }] of services)
    for (const one of volumes) {
      const source = (typeof one === 'string' ? one.split(':')[0] : one.source) ?? '';
      const path = /^\$\{\w+:-(.+)\}$/.exec(source)?.[1] ?? source;
      expect([path, path.startsWith('./') ? existsSync(join(workspaceRoot, path)) : path in compose.volumes]).toEqual([
        path,
        true,
      ]);
    }
});

it('knows every service that the README names', () => {
  const commands = readmeBlocks(read('README.md'))
    .filter(({ check }) => check === 'compose')
    .flatMap(commandsOf);
  expect(commands.length).toBeGreaterThan(2);
  for (const command of commands) {
    expect(command).toMatch(/^docker compose (up|run|exec|down|logs)\b/);
    const [, named] = /(?:--scale |run --rm |exec )(\w+)/.exec(command) ?? [];
    if (named) expect(Object.keys(compose.services)).toContain(named);
  }
});

/** Fixed by the image, or of no use behind the proxy. */
const ofTheImage = [
  // Given to every service by whoever gives NATS a certificate (docs/operate.md).
  'NATS_CA',
  'HOST',
  'PORT',
  'INTERNAL_HOST',
  'INTERNAL_PORT',
  'EDGE_DASHBOARD',
  'EDGE_TLS_CERT',
  'EDGE_TLS_KEY',
];

it('hands every variable of .env that a service reads to it', () => {
  for (const [name, { build, environment, env_file }] of services) {
    if (!build || name === 'cli' || env_file) continue;
    const given = Object.keys(environment).map((variable) => variable.replace(/_FILE$/, ''));
    const read = variablesReadBy(name).filter((variable) => !ofTheImage.includes(variable));
    expect([name, read.filter((variable) => !given.includes(variable))]).toEqual([name, []]);
  }
});

it('is proved by commands of docs/operate.md that are there', () => {
  const blocks = readmeBlocks(read('docs/operate.md'));
  expect(blocks.map(({ check }) => check).filter(Boolean)).toEqual([...provenBlocks]);
  const words = blocks.filter(({ check }) => check !== null).flatMap(commandsOf);
  for (const command of words) {
    const [, script] = /^sh (\S+)/.exec(command) ?? [];
    if (script) expect([script, existsSync(join(workspaceRoot, script))]).toEqual([script, true]);
  }
});
