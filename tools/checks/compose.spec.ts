import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { commandsOf, readmeBlocks } from './readme-blocks';
import { provenBlocks } from '../prove/compose/operate-docs';
import { workspaceRoot } from '../stack/workspace-root';
import { variablesReadBy } from './service-variables';
import { builtInProviders } from '@tollgate/providers';

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
        healthcheck: z
          .object({
            test: z.array(z.string()).optional(),
            start_interval: z.string().optional(),
            disable: z.boolean().optional(),
          })
          .optional(),
        user: z.string().optional(),
        read_only: z.boolean().optional(),
        cap_drop: z.array(z.string()).optional(),
        cap_add: z.array(z.string()).optional(),
        security_opt: z.array(z.string()).optional(),
        pids_limit: z.number().optional(),
        mem_limit: z.string().optional(),
        logging: z.object({ options: z.record(z.string(), z.string()) }).optional(),
        network_mode: z.string().optional(),
        restart: z.string().optional(),
        environment: z.record(z.string(), z.unknown()).default({}),
        env_file: z.array(z.object({ path: z.string() })).optional(),
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

/**
 * Grafana, because Docker publishes no port of a container that is on internal networks only; the collector,
 * because a store of traces may be anywhere.
 */
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

/** Where it is not the name of the service. */
const userOf: Record<string, string> = { cli: 'operator', check: 'operator', migrate: 'migrations' };

it('builds every service from a stage of the Dockerfile, and runs it without root, as a user of its own where it reads secrets, on a read-only disk', () => {
  const built = services.filter(([, { build }]) => build);
  expect(built.map(([name]) => name).sort()).toEqual(
    ['accounts', 'catalog', 'check', 'cli', 'edge', 'inference', 'metering', 'migrate', 'sandbox'].sort(),
  );
  for (const [name, { build, user, read_only }] of built) {
    expect(dockerfile).toMatch(new RegExp(`^FROM runtime AS ${build?.target}$`, 'm'));
    // Its own packages, and not those of all.
    expect(dockerfile).toContain(`COPY --from=packages-of-each /packages/${build?.target} node_modules`);
    expect([name, read_only]).toEqual([name, true]);
    // The script that makes the secrets knows the user by its name; the image's own user is not root either.
    const [, number] = new RegExp(`\\b${userOf[name] ?? name}=(\\d+)`).exec(makeSecrets) ?? [];
    expect([name, user]).toEqual([name, number && `${number}:${number}`]);
  }
  expect(dockerfile.indexOf('USER node')).toBeLessThan(dockerfile.indexOf('FROM runtime AS'));
  expect([...new Set(dockerfile.match(/^USER .*$/gm))]).toEqual(['USER node']);
});

it('builds every image of the Dockerfile for both architectures, with what is attested of it', () => {
  const bake = read('docker-bake.hcl');
  const [, listed = ''] = /service = \[(.*)\]/.exec(bake) ?? [];
  const images = [...dockerfile.matchAll(/^FROM (?:runtime|\$\{NODE_IMAGE\}) AS (\w+)$/gm)].map(([, name]) => name);
  const stages = ['packages', 'runtime'];
  expect(listed.match(/\w+/g)).toEqual(images.filter((name) => !stages.includes(name ?? '')));
  for (const part of ['linux/amd64', 'linux/arm64', 'type=provenance', 'type=sbom']) expect(bake).toContain(part);
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
  for (const [name, { build, environment }] of services) {
    if (!build) continue;
    const given = Object.keys(environment).flatMap((variable) => [variable, variable.replace(/_FILE$/, '')]);
    const read = variablesReadBy(name).filter((variable) => !ofTheImage.includes(variable));
    expect([name, read.filter((variable) => !given.includes(variable))]).toEqual([name, []]);
  }
});

it('hands the keys of built-in providers to inference alone, and no file of settings as a whole to anybody', () => {
  const keys = builtInProviders.flatMap(({ apiKeyEnv, placeholders }) => [
    ...apiKeyEnv,
    ...Object.values(placeholders).flatMap(({ env }) => env),
  ]);
  for (const [name, { environment, env_file }] of services) {
    const given = keys.filter((key) => key in environment);
    expect([name, given.length]).toEqual([name, name === 'inference' ? keys.length : 0]);
    expect(env_file?.map(({ path }) => path) ?? []).not.toContain('.env');
  }
});

it('hardens every container, the servers included, and bounds what it takes', () => {
  const allowed: Record<string, string[]> = {
    proxy: ['NET_BIND_SERVICE'],
    secrets: ['CHOWN', 'DAC_OVERRIDE', 'FOWNER'],
  };
  for (const [name, service] of services) {
    expect([name, service.cap_drop, service.cap_add ?? []]).toEqual([name, ['ALL'], allowed[name] ?? []]);
    expect([name, service.security_opt]).toEqual([name, ['no-new-privileges:true']]);
    // Grafana writes beside its volume.
    expect([name, service.read_only]).toEqual([name, name !== 'grafana']);
    expect([name, service.pids_limit, service.mem_limit]).toEqual([name, 256, expect.stringMatching(/\d[gm]\}?$/)]);
    expect([name, service.logging?.options['max-size']]).toEqual([name, '20m']);
  }
  const unnamed = ['sandbox', 'prometheus', 'grafana', 'collector'];
  for (const [name, { user }] of services)
    if (!unnamed.includes(name))
      expect([name, user]).toEqual([name, name === 'secrets' ? 'root' : expect.stringMatching(/^[1-9]\d+:[1-9]\d+$/)]);
});

it('asks everything that runs on whether it is well, often only while it starts', () => {
  for (const [name, { healthcheck, restart, profiles }] of services)
    if (restart === 'unless-stopped' && !profiles?.includes('observability'))
      expect([name, healthcheck?.test?.[0], healthcheck?.start_interval]).toEqual([name, 'CMD', '1s']);
});

it('asks in words without spaces, at which some engines break them, so that any answer would be health', () => {
  for (const [name, { healthcheck }] of services)
    for (const word of healthcheck?.test ?? []) expect([name, word]).toEqual([name, expect.stringMatching(/^\S+$/)]);
  expect(dockerfile).toMatch(/^HEALTHCHECK .* CMD \["bash", "\/healthy\.sh"\]$/m);
});

it('lets only those reach Postgres, Valkey and the proxy who have to', () => {
  const on = (network: string) =>
    services.filter(([, { networks }]) => networks?.includes(network)).map(([name]) => name);
  expect(on('data')).toEqual(['catalog', 'accounts', 'metering', 'migrate', 'postgres', 'roles']);
  expect(on('limits')).toEqual(['edge', 'valkey']);
  expect(on('front')).toEqual(['proxy', 'edge']);
  expect(read('deploy/nats/nats-server.conf')).toMatch(/^http: 127\.0\.0\.1:8222$/m);
  for (const network of ['front', 'inside', 'data', 'limits'])
    expect([network, compose.networks[network]?.internal]).toEqual([network, true]);
});

it('gives each that keeps records the address of its own role, once the one that may change tables is done', () => {
  for (const [name, { environment, depends_on }] of services) {
    const keepsRecords = ['accounts', 'catalog', 'metering'].includes(name);
    const role = name === 'migrate' ? 'migrations' : name;
    const address = keepsRecords || name === 'migrate' ? `/secrets/database-url-${role}` : undefined;
    expect([name, environment.DATABASE_URL_FILE]).toEqual([name, address]);
    expect([name, depends_on.migrate?.condition]).toEqual([
      name,
      keepsRecords ? 'service_completed_successfully' : undefined,
    ]);
  }
  expect(compose.services.migrate?.depends_on.roles?.condition).toBe('service_completed_successfully');
});

it('reads every setting before anything starts', () => {
  const check = compose.services.check;
  expect(check).toMatchObject({ network_mode: 'none', restart: 'no' });
  for (const [name, { build, depends_on }] of services)
    if (name === 'proxy' || (build && !['check', 'cli', 'migrate', 'sandbox'].includes(name)))
      expect([name, depends_on.check?.condition]).toEqual([name, 'service_completed_successfully']);
  const set = services.flatMap(([name, { environment, build }]) =>
    build && name !== 'inference' ? Object.entries(environment).filter(([, value]) => /\$\{/.test(String(value))) : [],
  );
  for (const [variable] of set) expect([variable, check && variable in check.environment]).toEqual([variable, true]);
  const compositions = read('docker-compose.yml').matchAll(/(?:scale: |- ')\$\{(\w+)/g);
  for (const [, variable = ''] of compositions)
    expect([variable, check && variable in check.environment]).toEqual([variable, true]);
});

it('answers for edges that do not, in the form of the surface, and tells nobody of ports that are not published', () => {
  const caddyfile = read('deploy/caddy/Caddyfile');
  for (const [, body = '', status = ''] of caddyfile.matchAll(/respond `(.+)` (\d+)/g)) {
    const error = JSON.parse(body) as { type?: string; error: { message: string; code: number; type: string } };
    expect(error.error).toEqual({ message: expect.any(String), type: expect.any(String), code: Number(status) });
    expect('request_id' in error).toBe(error.type === 'error');
  }
  expect([...caddyfile.matchAll(/respond/g)]).toHaveLength(4);
  expect(caddyfile).toMatch(/header Retry-After \d/);
  expect(caddyfile).toMatch(/protocols h1 h2$/m);
  expect(caddyfile).toContain('redir https://{host}:{$TOLLGATE_HTTPS_PORT:443}{uri}');
  expect(caddyfile).toMatch(/grace_period 120s/);
});

it('asks edges so often that one of four is met while the others start or stop', () => {
  const caddyfile = read('deploy/caddy/Caddyfile');
  const ms = (name: string) => {
    const [, number, unit] = new RegExp(`^\\s*${name} (\\d+)(ms|s)$`, 'm').exec(caddyfile) ?? [];
    return Number(number) * (unit === 's' ? 1_000 : 1);
  };
  // Who starts refuses at once; those that ended say nothing until their name is looked up anew.
  const refused = ms('lb_try_duration') / ms('lb_try_interval');
  const silent = (ms('lb_try_duration') - ms('refresh')) / (ms('lb_try_interval') + ms('dial_timeout'));
  expect((3 / 4) ** refused).toBeLessThan(1e-9);
  expect(silent).toBeGreaterThan(10);
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
