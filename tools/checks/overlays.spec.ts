import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { ownName } from '@tollgate/configuration';
import { smallNats, smallPostgres } from '../stack/servers';
import { sharedProgram, sharingServices, smallNode } from '../stack/service-plan';
import { workspaceRoot } from '../stack/workspace-root';
import { variablesReadBy } from './service-variables';

const folder = join('deploy', 'compose');
const read = (path: string) => readFileSync(join(workspaceRoot, path), 'utf8');
const service = z.looseObject({
  environment: z.record(z.string(), z.unknown()).default({}),
  networks: z
    .union([z.array(z.string()), z.record(z.string(), z.unknown()).transform((named) => Object.keys(named))])
    .default([]),
  image: z.string().optional(),
  volumes: z.array(z.union([z.string(), z.looseObject({ source: z.string() })])).default([]),
  depends_on: z
    .record(z.string(), z.looseObject({ condition: z.string(), required: z.boolean().optional() }))
    .default({}),
  extends: z.object({ file: z.string(), service: z.string() }).optional(),
  profiles: z.array(z.string()).optional(),
});
const file = z.looseObject({
  services: z.record(z.string(), service),
  networks: z.record(z.string(), z.unknown()).default({}),
  volumes: z.record(z.string(), z.unknown()).default({}),
});
const compose = (path: string) => file.parse(parse(read(path), { merge: true }));
const main = compose('docker-compose.yml');
const names = readdirSync(join(workspaceRoot, folder));

/** The names in `${NAME}`, `${NAME:-default}` and `${NAME:?what it is}`. */
const asked = (text: string) => [...text.matchAll(/\$\{(\w+)/g)].flatMap(([, name]) => name ?? []);

/** What is read where services share a process: what each reads, also for it alone. */
const sharedVariables = sharingServices.flatMap((id) =>
  variablesReadBy(id).flatMap((name) => [name, ownName(id, name)]),
);

/** The CLI reads its addresses itself; a server of NATS what its configuration names. */
function knownBy(id: string, image = ''): string[] {
  if (image.includes(`tollgate-${sharedProgram}:`)) return [...sharedVariables, ...Object.keys(smallNode(id))];
  if (id === 'cli') return ['NATS_URL', 'NATS_CA'];
  if (id === 'migrate') return ['DATABASE_URL', 'DATABASE_DIRECT_URL'];
  return /^nats\b/.test(id)
    ? [...namedIn(read('deploy/nats/cluster.conf')), ...Object.keys(smallNats)]
    : [...variablesReadBy(id), ...Object.keys(smallNode(id))];
}

const namedIn = (text: string) => [...text.matchAll(/^[^#\n]*\$(\w+)/gm)].flatMap(([, name]) => name ?? []);

it('names each server of the cluster in its environment, which it also has when it reads its configuration again', () => {
  const { services } = compose(join(folder, 'nats-cluster.yml'));
  const servers = Object.entries(services).filter(([id]) => /^nats\b/.test(id));
  expect(servers.map(([, { environment }]) => environment)).toEqual(
    ['nats', 'nats-2', 'nats-3'].map((name) => ({ NATS_SERVER_NAME: name })),
  );
  expect(namedIn(read('deploy/nats/cluster.conf'))).toEqual(['NATS_SERVER_NAME']);
});

describe.each(names)('%s over docker-compose.yml', (name) => {
  const path = join(folder, name);
  const { services, networks, volumes } = compose(path);
  const each = Object.entries(services);

  it('changes services that there are, or makes one out of them', () => {
    for (const [id, { extends: origin }] of each) {
      expect(Object.keys(main.services)).toContain(origin?.service ?? id);
      if (origin) expect(origin.file).toBe('docker-compose.yml');
    }
  });

  it('sets variables that the service reads, each by its name or that of a file', () => {
    for (const [id, { environment, image }] of each) {
      const known = knownBy(id, image);
      for (const variable of Object.keys(environment))
        expect([id, known]).toEqual([id, expect.arrayContaining([variable.replace(/_FILE$/, '')])]);
    }
  });

  it('uses networks and volumes that are declared', () => {
    for (const [, { networks: used, volumes: mounted }] of each) {
      for (const network of used) expect({ ...main.networks, ...networks }).toHaveProperty(network);
      for (const volume of mounted) {
        const source = typeof volume === 'string' ? (volume.split(':')[0] ?? '') : volume.source;
        const isThere = source in volumes || (source.startsWith('./') && existsSync(join(workspaceRoot, source)));
        if (!source.startsWith('${')) expect([source, isThere]).toEqual([source, true]);
      }
    }
  });

  it('waits for nothing that it leaves out', () => {
    const gone = each.filter(([, { profiles }]) => profiles).map(([id]) => id);
    for (const [id, before] of Object.entries(main.services)) {
      // Others are profiles that a person asks for.
      if (before.profiles || gone.includes(id)) continue;
      const needs = { ...before.depends_on, ...services[id]?.depends_on };
      const left = Object.entries(needs).filter(
        ([needed, { required }]) => gone.includes(needed) && required !== false,
      );
      expect([id, left]).toEqual([id, []]);
    }
  });

  it('asks for nothing but what the docs that name it name, too', () => {
    const docs =
      ['docs/cluster.md', 'docs/operate.md'].map(read).find((text) => text.includes(`deploy/compose/${name}`)) ?? '';
    for (const variable of asked(read(path))) expect(docs).toContain(variable);
    expect(docs).toContain(`deploy/compose/${name}`);
  });
});

it('sends the logs of every container to one place', () => {
  expect(Object.keys(compose(join(folder, 'journald.yml')).services).sort()).toEqual(Object.keys(main.services).sort());
});

it('leaves edge to a proxy on this machine alone', () => {
  const { services } = compose(join(folder, 'own-proxy.yml'));
  expect(services.edge).toMatchObject({ ports: [expect.stringMatching(/^127\.0\.0\.1:/)] });
  expect(services.proxy?.profiles).toEqual(['not-here']);
});

it('gives the addresses of NATS to every service that has one', () => {
  const having = Object.entries(main.services)
    .filter(([id]) => variablesReadBy(id).includes('NATS_URL'))
    .map(([id]) => id);
  expect(having.length).toBeGreaterThan(4);
  for (const name of ['nats-cluster.yml', 'outside-nats.yml']) {
    const { services } = compose(join(folder, name));
    for (const id of [...having, 'cli']) expect(services[id]?.environment).toHaveProperty('NATS_URL');
  }
});

it('routes the nodes of the cluster to each other by the names of their services', () => {
  const { services } = compose(join(folder, 'nats-cluster.yml'));
  const nodes = Object.keys(services).filter((id) => id.startsWith('nats'));
  const routes = [...read('deploy/nats/cluster.conf').matchAll(/nats-route:\/\/([\w-]+):/g)].map(([, host]) => host);
  expect(routes).toEqual(nodes);
  expect(services.metering?.environment.NATS_URL).toBe(nodes.map((node) => `nats://${node}:4222`).join());
});

it('runs the services that share a process by one of their names, reads the secrets of each, and has the small servers of npm start', () => {
  const { services } = compose(join(folder, 'compact.yml'));
  const { accounts, catalog, metering, postgres, nats } = services;
  expect([catalog?.profiles, metering?.profiles]).toEqual([['not-here'], ['not-here']]);
  for (const name of ['catalog', 'metering'])
    expect(accounts?.environment).toMatchObject({
      [`${name.toUpperCase()}_NATS_USER`]: name,
      [`${name.toUpperCase()}_NATS_PASSWORD_FILE`]: `/secrets/nats-${name}`,
      [`${name.toUpperCase()}_DATABASE_URL_FILE`]: `/secrets/database-url-${name}`,
    });
  // The rest has defaults, or is set for all of them in docker-compose.yml.
  const own = ['catalog', 'metering'].flatMap((name) => Object.keys(main.services[name]?.environment ?? {}));
  const set = { ...main.services.accounts?.environment, ...accounts?.environment };
  expect(own.filter((name) => !(name in set))).toEqual([]);
  // Postgres of the image is 17, which knows no other way to read.
  const settings = smallPostgres.filter((setting) => !setting.startsWith('io_method='));
  expect(postgres?.command).toEqual(['postgres', ...settings.map((setting) => `-c${setting}`)]);
  expect(nats?.environment).toEqual(smallNats);
  expect(accounts?.environment).toMatchObject(smallNode(sharedProgram));
  for (const name of ['edge', 'inference']) expect(services[name]?.environment).toEqual(smallNode(name));
});
