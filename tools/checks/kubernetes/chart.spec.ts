import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { chartFiles } from '../../chart/chart';
import { workspaceRoot } from '../../stack/workspace-root';
import { kustomizationOf, manifestsIn, manifestsOf } from './manifests';
import type { Manifest } from './manifests';
import { problemsOf } from './schema';

const folder = join(workspaceRoot, 'deploy/helm/tollgate');
// Helm is in no registry that npm can ask: https://helm.sh/docs/intro/install
const canRender = spawnSync('helm', ['version']).status === 0;

function rendered(...more: string[]): Manifest[] {
  return renderedFor('1.33.0', ...more);
}

function renderedFor(version: string, ...more: string[]): Manifest[] {
  const command = ['template', 'tollgate', folder, '--kube-version', version, ...more];
  const { status, stdout, stderr } = spawnSync('helm', command, { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return manifestsIn(stdout);
}

const named = (manifests: readonly Manifest[]) =>
  new Map(manifests.map((one) => [`${one.kind} ${one.metadata.name}`, one]));
const manifestsOfFolder = (part: string) =>
  kustomizationOf(part).resources.flatMap((path) => manifestsOf(join(part, path)));

/** What both ways of installing have: without what only Helm, or only Kustomize, adds. */
function compared(manifest: Manifest): unknown {
  return JSON.parse(JSON.stringify(manifest), (field, value: unknown) => {
    if (
      ['app.kubernetes.io/part-of', 'app.kubernetes.io/managed-by', 'helm.sh/chart', 'checksum/config'].includes(field)
    )
      return undefined;
    // None, until one is named.
    if (field === 'imagePullSecrets' || (field === 'priorityClassName' && value === '')) return undefined;
    if (field === 'image' && typeof value === 'string')
      return value.replace(/^registry\.example\.com\/([a-z-]+):[\w.-]+$/, '$1');
    return field === 'labels' && Object.keys(value as object).length === 0 ? undefined : value;
  });
}

it('is what the manifests say: npm run chart', () => {
  const files = chartFiles();
  const there = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    statSync(join(folder, path)).isFile(),
  );
  expect(there.sort()).toEqual([...files.keys()].sort());
  for (const [path, text] of files) expect([path, readFileSync(join(folder, path), 'utf8')]).toEqual([path, text]);
});

const digest = `sha256:${'0123456789abcdef'.repeat(4)}`;

it('takes no names of Secrets and peers that nothing reads', () => {
  const { properties } = JSON.parse(readFileSync(join(folder, 'values.schema.json'), 'utf8')) as {
    properties: { secrets: object; networkPolicies: { properties: { peers: object } } };
  };
  const closed = { additionalProperties: false };
  expect(properties.secrets).toMatchObject({ ...closed, properties: { database: {}, natsEdge: {} } });
  expect(properties.networkPolicies.properties.peers).toMatchObject({ ...closed, properties: { postgres: {} } });
});

(canRender ? describe : describe.skip)('rendered by helm', () => {
  it('has what the base and the gateway have, and nothing else', () => {
    const chart = named(rendered());
    const manifests = named([...manifestsOfFolder('base'), ...manifestsOfFolder('components/gateway')]);
    expect([...chart.keys()].filter((name) => !name.startsWith('ConfigMap ')).sort()).toEqual(
      [...manifests.keys()].sort(),
    );
    for (const [name, manifest] of manifests) {
      const one = chart.get(name);
      expect([name, one && compared(one)]).toEqual([name, compared(manifest)]);
    }
  });

  it.each([
    [[]],
    [
      [
        '--set',
        'gateway.enabled=false,ingress.enabled=true,cli.enabled=true,image.pullSecrets[0].name=r,image.tag=1.2.3',
      ],
    ],
    [['--set', 'inference.autoscaling.onStreams=true,networkPolicies.enabled=false,edge.replicas=5']],
    [['--set-json', 'networkPolicies.peers.postgres=[{"ipBlock":{"cidr":"192.0.2.10/32"}}]']],
    [['--set', 'ingress.enabled=true,ingress.host=*.example.com,gateway.host=*.example.com']],
    [['--set', 'ingress.enabled=true', '--set-string', 'ingress.tlsSecret=123,secrets.database=123,settings.A=5']],
  ])('is valid with %j', (more) => {
    for (const version of ['1.32.0', '1.34.0', '1.36.0']) {
      const manifests = renderedFor(version, ...more);
      const problems = manifests.flatMap((one) => problemsOf(one).map((problem) => `${one.metadata.name} ${problem}`));
      expect([version, problems]).toEqual([version, []]);
    }
  });

  it('has what is set', () => {
    const chart = named(
      rendered(
        '--set',
        'edge.replicas=5,inference.autoscaling.onStreams=true,secrets.database=mine,cli.enabled=true',
        '--set',
        'settings.LOG_LEVEL=debug',
        '--set',
        `image.tag=1.2.3,image.digests.edge=${digest},priorityClassName=high,image.pullSecrets[0].name=mine`,
      ),
    );
    const podOf = (service: string) => JSON.stringify(chart.get(`Deployment tollgate-${service}`));
    expect(podOf('edge')).toContain(`"image":"registry.example.com/tollgate-edge@${digest}"`);
    for (const service of ['inference', 'catalog', 'accounts', 'metering', 'cli'])
      expect(podOf(service)).toContain(`"image":"registry.example.com/tollgate-${service}:1.2.3"`);
    for (const service of ['edge', 'inference', 'catalog', 'accounts', 'metering', 'cli'])
      expect(podOf(service)).toContain('"priorityClassName":"high"');
    expect(chart.get('ServiceAccount tollgate-edge')).toMatchObject({ imagePullSecrets: [{ name: 'mine' }] });
    expect(chart.get('Deployment tollgate-edge')).toMatchObject({ spec: { replicas: 5 } });
    expect(JSON.stringify(chart.get('HorizontalPodAutoscaler tollgate-inference'))).toContain(
      'tollgate_inference_in_flight',
    );
    expect(JSON.stringify(chart.get('Deployment tollgate-metering'))).toContain('{"name":"mine"');
    expect(chart.get('ConfigMap tollgate-settings')).toMatchObject({
      data: { LOG_LEVEL: 'debug', TRUST_PROXY: 'uniquelocal' },
    });
    expect(chart.has('Deployment tollgate-cli')).toBe(true);
  });

  it('replaces pods when a setting changes', () => {
    const checksum = (...more: string[]) => /checksum\/config":"(\w+)"/.exec(JSON.stringify(rendered(...more)))?.[1];
    expect(checksum()).toMatch(/^[0-9a-f]{64}$/);
    expect(checksum('--set', 'tollgateYaml=models: []')).not.toBe(checksum());
  });

  it.each([
    'edge.replicas=none',
    'edge.replicsa=2',
    'secrets.database=A_B',
    'secrets.databse=mine',
    'settings.lower=x',
    'image.digests.edge=latest',
    'image.digests.egde=',
  ])('refuses %s', (value) => {
    expect(() => rendered('--set', value)).toThrow(/schema/);
  });
});
