import { builtInProviders } from '@tollgate/providers';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { workspaceRoot } from '../../stack/workspace-root';
import { variablesReadBy } from '../service-variables';
import { folders, kubernetesFolder, kustomizationOf, manifestsIn, manifestsOf } from './manifests';
import type { Manifest } from './manifests';
import { containerOf, deploymentsIn, serviceOf, variablesOf } from './pods';
import { canRender, rendered, renderedExample, renderedWith } from './rendering';
import { problemsOf } from './schema';

const read = (path: string) => readFileSync(join(workspaceRoot, path), 'utf8');
const services = ['edge', 'inference', 'catalog', 'accounts', 'metering'];
const components = folders.filter((folder) => folder.startsWith('components/'));
const resourcesOf = (folder: string): Manifest[] =>
  kustomizationOf(folder)
    .resources.filter((path) => path.endsWith('.yaml'))
    .flatMap((path) => manifestsOf(join(folder, path)));
const base = resourcesOf('base');
const deployments = deploymentsIn(base);
const everyDeployment = deploymentsIn([...base, ...resourcesOf('components/cli')]);
const named = <Value extends { metadata: { name: string } }>(all: readonly Value[], name: string): Value => {
  const one = all.find(({ metadata }) => metadata.name === name);
  if (!one) throw new Error(`there is no ${name}`);
  return one;
};
const patchOf = (path: string) =>
  z
    .array(z.looseObject({ op: z.string(), path: z.string(), value: z.unknown() }))
    .parse(parse(readFileSync(join(kubernetesFolder, path), 'utf8')));
const problemsIn = (manifests: readonly Manifest[]) =>
  manifests.flatMap((one) => problemsOf(one).map((problem) => `${one.kind} ${one.metadata.name} ${problem}`));

describe('the schemas', () => {
  const refuse = (text: string) => problemsIn(manifestsIn(text));
  const deployment = (spec: string) =>
    `{ apiVersion: apps/v1, kind: Deployment, metadata: { name: x }, spec: { selector: { matchLabels: { a: b } }, ${spec} } }`;
  const container = (fields: string) =>
    deployment(
      `template: { metadata: { labels: { a: b } }, spec: { containers: [{ name: x, image: some, ${fields} }] } }`,
    );

  it.each([
    [
      'a field that is misspelt',
      deployment('replcas: 1, template: {}'),
      '/spec/replcas: Kubernetes 1.32, 1.34, 1.36 do not all know such a field',
    ],
    [
      'one deep inside',
      container('livenessProbe: { perodSeconds: 2 }'),
      'perodSeconds: Kubernetes 1.32, 1.34, 1.36 do not all know such a field',
    ],
    [
      'what only a newer version knows',
      container('restartPolicyRules: []'),
      'restartPolicyRules: Kubernetes 1.32, 1.34, 1.36 do not all know such a field',
    ],
    ['a wrong type', deployment('replicas: two, template: {}'), 'replicas'],
    ['a missing field', '{ apiVersion: apps/v1, kind: Deployment, metadata: { name: x }, spec: {} }', 'selector'],
    [
      'a kind that does not exist',
      '{ apiVersion: apps/v1, kind: Deploiment, metadata: { name: x } }',
      'a kind without a schema',
    ],
  ])('refuse %s', (_, text, problem) => expect(refuse(text).join('\n')).toContain(problem));

  it('take what is right', () =>
    expect(refuse(container("resources: { limits: { memory: 1Gi, cpu: '1' } }"))).toEqual([]));
});

describe('the files', () => {
  it.each(folders)('are valid and all there in %s', (folder) => {
    const { resources, patches, configMapGenerator, components: used } = kustomizationOf(folder);
    const own = configMapGenerator.flatMap(({ files, envs }) => [...files, ...envs]);
    const expected = ['kustomization.yaml', ...resources, ...patches.map(({ path }) => path), ...own];
    const here = readdirSync(join(kubernetesFolder, folder));
    // One patch may be for several.
    expect([...new Set(expected)].filter((path) => !path.startsWith('..')).sort()).toEqual(here.sort());
    for (const other of [...resources, ...used].filter((path) => path.startsWith('..')))
      expect(folders).toContain(join(folder, other));
    expect(problemsIn(resourcesOf(folder))).toEqual([]);
  });

  it.each(folders.filter((folder) => folder !== 'base'))('patch in %s what is there', (folder) => {
    const there = [...base, ...components.flatMap(resourcesOf)].map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    for (const { path, target } of kustomizationOf(folder).patches) {
      if (target) expect(there).toContain(`${target.kind} ${target.name}`);
      else
        for (const { kind, metadata } of manifestsOf(join(folder, path)))
          expect(there).toContain(`${kind} ${metadata.name}`);
    }
  });

  const renderings: [string, () => Manifest[]][] = [
    ['base', () => rendered('base')],
    ['example', () => rendered('example')],
    ...components.map((folder): [string, () => Manifest[]] => [
      folder,
      () => renderedWith([folder.replace('components/', '')]),
    ]),
    ['streams and one edge', () => renderedWith(['autoscale-on-streams', 'one-edge', 'ingress', 'cli'])],
  ];
  (canRender ? it : it.skip).each(renderings)('are valid as kustomize renders them: %s', (_, render) => {
    const manifests = render();
    expect(manifests.length).toBeGreaterThan(20);
    expect(problemsIn(manifests)).toEqual([]);
    expect(deploymentsIn(manifests).map(serviceOf)).toEqual(expect.arrayContaining(services));
  });
});

(canRender ? it : it.skip)('offers in the example what its comments say, to be uncommented', () => {
  const digest = `sha256:${'0123456789abcdef'.repeat(4)}`;
  const manifests = renderedExample((text) =>
    text
      .replaceAll(/^ {2}# ((?:- patch| {2}target): )/gm, '  $1')
      .replace(/(tollgate-edge), newTag: [^ ]+ /, `$1, digest: '${digest}' `),
  );
  expect(problemsIn(manifests)).toEqual([]);
  const pods = deploymentsIn(manifests);
  for (const { spec } of pods) expect(spec.template.spec).toMatchObject({ priorityClassName: 'high' });
  expect(containerOf(named(pods, 'tollgate-edge')).image).toBe(`registry.example.com/tollgate-edge@${digest}`);
  for (const one of manifests.filter(({ kind }) => kind === 'ServiceAccount'))
    expect(one).toMatchObject({ imagePullSecrets: [{ name: 'tollgate-registry' }] });
  expect(named(manifests, 'tollgate-postgres').spec).toMatchObject({
    egress: [{ to: [{ ipBlock: { cidr: '192.0.2.10/32' } }] }],
  });
});

(canRender ? describe : describe.skip)('the components for several machines', () => {
  const names = ['nats-cluster', 'pooler', 'nats-authority', 'valkey-authority'];
  const several = () => renderedWith(names);

  it('give each service variables that it reads, from files that are there', () => {
    for (const one of deploymentsIn(several())) {
      const given = containerOf(one).env.filter(({ name }) => /_(CA|DIRECT_URL)_FILE$/.test(name));
      const wanted = variablesReadBy(serviceOf(one)).filter((name) => /_(CA|DIRECT_URL)$/.test(name));
      expect([serviceOf(one), given.map(({ name }) => name.replace(/_FILE$/, '')).sort()]).toEqual([
        serviceOf(one),
        wanted.sort(),
      ]);
      const sources = one.spec.template.spec.volumes.flatMap(({ projected }) => projected?.sources ?? []);
      const files = sources.flatMap(({ secret }) => secret.items.map(({ path }) => `/secrets/${path}`));
      expect(given.filter(({ value }) => !files.includes(value ?? ''))).toEqual([]);
    }
  });

  it('ask for three copies of every stream', () => {
    const settings = several().filter(({ kind, metadata }) => kind === 'ConfigMap' && /settings/.test(metadata.name));
    expect(settings.map(({ data }) => data)).toEqual([expect.objectContaining({ NATS_REPLICAS: '3' })]);
  });

  it('are in docs/cluster.md, with the Secrets that they take', () => {
    const docs = read('docs/cluster.md');
    for (const name of names) expect([name, docs.includes(`\`${name}\``)]).toEqual([name, true]);
    for (const secret of ['tollgate-nats-ca', 'tollgate-valkey-ca', 'tollgate-database'])
      expect([secret, docs.includes(`generic ${secret} `)]).toEqual([secret, true]);
  });
});

const compose = z
  .object({
    services: z.record(
      z.string(),
      z.object({ image: z.string(), environment: z.record(z.string(), z.unknown()).default({}) }),
    ),
  })
  .parse(parse(read('docker-compose.yml'), { merge: true })).services;
/**
 * The first stands in NATS_URL, of which each service has one of its own; the second is given while a pepper
 * is replaced, and the others stand among the keys of providers (docs/operate.md).
 */
const elsewhere = [
  ...['NATS_PASSWORD_FILE', 'TOLLGATE_KEY_PEPPER_PREVIOUS_FILE'],
  ...['TOLLGATE_KEY_ENCRYPTION_KEY_FILE', 'TOLLGATE_KEY_ENCRYPTION_KEY_PREVIOUS_FILE'],
];

describe.each(services)('%s', (service) => {
  const deployment = named(deployments, `tollgate-${service}`);
  const container = containerOf(deployment);
  const variables = variablesOf(deployment);
  const known = variablesReadBy(service);

  it('gets variables only that it reads, each secret that Compose gives it, and the settings of the installation', () => {
    expect(variables.filter((name) => !known.includes(name))).toEqual([]);
    const given = Object.keys(compose[service]?.environment ?? {}).filter((name) => name.endsWith('_FILE'));
    const wanted = given.filter((name) => !elsewhere.includes(name)).map((name) => name.replace(/_FILE$/, ''));
    expect(wanted.filter((name) => !variables.includes(name))).toEqual([]);
    expect(container.envFrom[0]).toEqual({ configMapRef: { name: 'tollgate-settings' } });
  });

  it('finds every file that a variable names', () => {
    const { volumes } = deployment.spec.template.spec;
    const secrets = volumes.flatMap(({ projected }) => projected?.sources ?? []);
    const files = secrets.flatMap(({ secret }) => secret.items.map(({ path }) => `/secrets/${path}`));
    const config = volumes.some((volume) => volume.configMap?.name === 'tollgate-config')
      ? ['/config/tollgate.yaml']
      : [];
    const asked = container.env.flatMap(({ value }) => (value?.startsWith('/') ? [value] : []));
    // What is no secret and no configuration is a folder of its own.
    const folders = container.volumeMounts.map(({ mountPath }) => mountPath).filter((path) => asked.includes(path));
    expect(asked.sort()).toEqual([...files, ...config, ...folders].sort());
    expect(container.volumeMounts.map(({ name }) => name).sort()).toEqual(volumes.map(({ name }) => name).sort());
  });

  it('is probed and scraped on the internal port of its image', () => {
    const [, stage = ''] =
      new RegExp(`\nFROM runtime AS ${service}\\n([^]*?)(\\n\\n|$)`).exec(read('Dockerfile')) ?? [];
    const [, internal] = /INTERNAL_PORT=(\d+)/.exec(stage) ?? [];
    const [, open] = /^EXPOSE (\d+)/m.exec(stage) ?? [];
    const ports = Object.fromEntries(container.ports.map(({ name, containerPort }) => [name, String(containerPort)]));
    expect(ports).toEqual(open ? { http: open, internal } : { internal });
    expect(deployment.spec.template.metadata.annotations['prometheus.io/port']).toBe(internal);
    const { startupProbe, livenessProbe, readinessProbe } = container;
    expect([startupProbe, livenessProbe, readinessProbe].map((probe) => probe?.httpGet)).toEqual([
      { path: '/livez', port: 'internal' },
      { path: '/livez', port: 'internal' },
      { path: '/readyz', port: 'internal' },
    ]);
  });

  it('runs the image that Compose builds', () => expect(compose[service]?.image).toContain(`}${container.image}:`));
});

it('gives a stop longer than edge and inference may take for it', () => {
  const setting = (service: string, name: string) =>
    Number(containerOf(named(deployments, `tollgate-${service}`)).env.find((one) => one.name === name)?.value);
  const graceOf = (service: string) =>
    named(deployments, `tollgate-${service}`).spec.template.spec.terminationGracePeriodSeconds;
  expect(graceOf('edge')).toBeGreaterThanOrEqual(
    setting('edge', 'EDGE_STOP_GRACE_S') + setting('edge', 'EDGE_DRAIN_S') + 20,
  );
  expect(graceOf('inference')).toBeGreaterThanOrEqual(setting('inference', 'INFERENCE_DRAIN_MS') / 1_000 + 20);
});

it('chooses with every selector the pods of one service, and none of another', () => {
  const labels = (one: (typeof everyDeployment)[number]) => one.spec.template.metadata.labels;
  const chosen = (selector: Record<string, string>) =>
    everyDeployment
      .filter((one) => Object.entries(selector).every(([name, value]) => labels(one)[name] === value))
      .map(serviceOf);
  for (const one of everyDeployment) expect(chosen(one.spec.selector.matchLabels)).toEqual([serviceOf(one)]);
  const selecting = z.object({
    kind: z.string(),
    metadata: z.object({ name: z.string() }),
    spec: z.object({
      selector: z.union([
        z.object({ matchLabels: z.record(z.string(), z.string()) }),
        z.record(z.string(), z.string()),
      ]),
    }),
  });
  for (const one of base.filter(({ kind }) => ['Service', 'PodDisruptionBudget'].includes(kind))) {
    const { metadata, spec } = selecting.parse(one);
    const selector =
      'matchLabels' in spec.selector && typeof spec.selector.matchLabels === 'object'
        ? spec.selector.matchLabels
        : spec.selector;
    expect(chosen(selector as Record<string, string>).map((service) => `tollgate-${service}`)).toEqual([metadata.name]);
  }
  const accounts = [...base, ...resourcesOf('components/cli')]
    .filter(({ kind }) => kind === 'ServiceAccount')
    .map(({ metadata }) => metadata.name);
  expect(everyDeployment.map(({ spec }) => spec.template.spec.serviceAccountName).sort()).toEqual(accounts.sort());
});

it('has a budget for disruptions where more than one instance runs', () => {
  const several = deployments.filter(({ spec }) => spec.replicas !== 1).map(({ metadata }) => metadata.name);
  const budgets = base.filter(({ kind }) => kind === 'PodDisruptionBudget').map(({ metadata }) => metadata.name);
  expect(budgets.sort()).toEqual(several.sort());
});

it('scales inference by a metric that it has', () => {
  const [autoscaler] = manifestsOf('components/autoscale-on-streams/autoscaler.yaml');
  const metric = 'tollgate_inference_in_flight';
  expect(JSON.stringify(autoscaler)).toContain(`"name":"${metric}"`);
  expect(read('apps/inference/src/metrics/inference-metrics.ts')).toContain(`'${metric}'`);
  expect(read('deploy/kubernetes/prometheus/adapter-rule.yaml')).toContain(metric);
  const [targets] = base.filter(({ kind }) => kind === 'HorizontalPodAutoscaler');
  expect(targets).toMatchObject({ spec: { scaleTargetRef: { kind: 'Deployment', name: 'tollgate-inference' } } });
  // Applying the files again must not undo what the autoscaler did.
  expect(named(deployments, 'tollgate-inference').spec.replicas).toBeUndefined();
});

it('holds no secret, and gives those of providers to inference alone', () => {
  expect([...base, ...folders.flatMap(resourcesOf)].filter(({ kind }) => kind === 'Secret')).toEqual([]);
  const holders = deployments.filter((one) => JSON.stringify(one).includes('tollgate-providers'));
  expect(holders.map(serviceOf)).toEqual(['inference']);
  const provider = new Set(builtInProviders.flatMap(({ apiKeyEnv }) => apiKeyEnv));
  expect(deployments.flatMap(variablesOf).filter((name) => provider.has(name))).toEqual([]);
});

it('sends callers to the port of edge, without a time limit of its own', () => {
  const [route] = manifestsOf('components/gateway/route.yaml');
  const edge = named(
    base.filter(({ kind }) => kind === 'Service'),
    'tollgate-edge',
  );
  const { ports } = z.looseObject({ ports: z.array(z.looseObject({ port: z.number() })) }).parse(edge.spec);
  const backendRefs = ports.map(({ port }) => ({ name: edge.metadata.name, port }));
  expect(route).toMatchObject({ spec: { rules: [{ backendRefs, timeouts: { request: '0s' } }] } });
});

it('keeps the journal of usage where the container expects it, also on a volume that is shared', () => {
  const { volumes } = named(deployments, 'tollgate-inference').spec.template.spec;
  const at = volumes.findIndex(({ name }) => name === 'usage-journal');
  const replaced = patchOf('components/usage-journal/volume.yaml').find(({ op }) => op === 'replace');
  const [claim] = manifestsOf('components/usage-journal/claim.yaml');
  expect(replaced).toEqual({
    op: 'replace',
    path: `/spec/template/spec/volumes/${at}`,
    value: { name: 'usage-journal', persistentVolumeClaim: { claimName: claim?.metadata.name } },
  });
});

it('gives the command line its password as a file: a variable is read by whoever may look at a pod', () => {
  const cli = containerOf(named(everyDeployment, 'tollgate-cli'));
  expect(cli.env).toEqual([{ name: 'NATS_URL_FILE', value: '/secrets/nats-url' }]);
});

it('names settings in the example that a service reads, and none that the image or a Secret must set', () => {
  const settings = read('deploy/kubernetes/example/settings.env')
    .split('\n')
    .flatMap((line) => /^(\w+)=/.exec(line)?.[1] ?? []);
  const known = new Set(services.flatMap((service) => variablesReadBy(service)));
  const fixed = ['HOST', 'PORT', 'INTERNAL_HOST', 'INTERNAL_PORT', ...deployments.flatMap(variablesOf)];
  expect(settings).toContain('TOLLGATE_PUBLIC_URL');
  expect(settings.filter((name) => !known.has(name) || fixed.includes(name))).toEqual([]);
});

it('says in the docs of every Secret how it is made, under the keys that pods read', () => {
  const asked = everyDeployment.flatMap(({ spec }) => {
    const { containers, volumes } = spec.template.spec;
    const files = volumes.flatMap(({ projected }) => projected?.sources ?? []);
    return [
      ...files.flatMap(({ secret }) => secret.items.map(({ key }) => `${secret.name} ${key}`)),
      ...containers
        .flatMap(({ env }) => env.flatMap(({ valueFrom }) => valueFrom?.secretKeyRef ?? []))
        .map(({ name, key }) => `${name} ${key}`),
    ];
  });
  const docs = read('docs/operate.md');
  const made = [...docs.matchAll(/create secret generic ([\w-]+)((?: --from-literal=\S+)+)/g)].flatMap(
    ([, name = '', literals = '']) =>
      [...literals.matchAll(/--from-literal=([\w-]+)=/g)].map(([, key]) => `${name} ${key}`),
  );
  expect(asked.length).toBeGreaterThan(10);
  expect(made).toEqual(expect.arrayContaining(asked));
  expect(docs).toContain('create secret generic tollgate-providers ');
});
