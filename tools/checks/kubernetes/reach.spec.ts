import { variablesReadBy } from '../service-variables';
import { manifestsIn, manifestsOf } from './manifests';
import { deploymentsIn, serviceOf, variablesOf } from './pods';
import { ours, Reach } from './reach';
import type { Somebody } from './reach';

const reach = new Reach(manifestsOf('base/network-policies.yaml'));
const pods = deploymentsIn(
  ['edge', 'inference', 'catalog', 'accounts', 'metering'].flatMap((name) => manifestsOf(`base/${name}.yaml`)),
);
const cli = deploymentsIn(manifestsOf('components/cli/cli.yaml'));
const namespaceWith = (label: string): Somebody => ({ namespace: { [label]: 'true' } });
const dns: Somebody = { namespace: { 'kubernetes.io/metadata.name': 'kube-system' }, pod: { 'k8s-app': 'kube-dns' } };

/**
 * Everything that a service may have to do with, and which variable makes it so: who has no such variable
 * must not get there.
 */
const targets: { name: string; other: Somebody; port: number; because: string }[] = [
  { name: 'NATS', other: namespaceWith('tollgate-nats'), port: 4222, because: 'NATS_URL' },
  { name: 'Postgres', other: namespaceWith('tollgate-postgres'), port: 5432, because: 'DATABASE_URL' },
  { name: 'Valkey', other: namespaceWith('tollgate-valkey'), port: 6379, because: 'VALKEY_URL' },
  {
    name: 'the collector',
    other: namespaceWith('tollgate-monitoring'),
    port: 4318,
    because: 'OTEL_EXPORTER_OTLP_ENDPOINT',
  },
  { name: 'mail servers', other: { address: '203.0.113.9' }, port: 465, because: 'SMTP_URL' },
];

describe.each([...pods, ...cli].map((pod) => ({ service: serviceOf(pod), pod })))('$service', ({ service, pod }) => {
  const { labels } = pod.spec.template.metadata;
  const to = (other: Somebody, port: number, protocol?: string) =>
    reach.allows('Egress', labels, other, port, protocol);
  const from = (other: Somebody, port: string) => reach.allows('Ingress', labels, other, port);

  it.each(targets)('reaches $name if, and only if, it has to', ({ other, port, because }) => {
    const read = service === 'cli' ? variablesOf(pod) : variablesReadBy(service);
    expect(to(other, port)).toBe(read.includes(because));
    expect(to(other, port + 1)).toBe(false);
  });

  it('reaches public HTTPS if, and only if, it speaks with providers or signs people in', () => {
    expect(to({ address: '203.0.113.9' }, 443)).toBe(['inference', 'accounts'].includes(service));
    for (const address of ['10.0.0.1', '169.254.169.254', '172.31.0.1', '192.168.1.1', '100.64.0.1', '127.0.0.1'])
      expect([address, to({ address }, 443)]).toEqual([address, false]);
    expect(to({ address: '203.0.113.9' }, 80)).toBe(false);
  });

  it('asks for names, and no other service of ours directly', () => {
    expect([to(dns, 53, 'UDP'), to(dns, 53)]).toEqual([true, true]);
    for (const other of pods)
      expect(to({ namespace: ours, pod: other.spec.template.metadata.labels }, 8080)).toBe(false);
  });

  it('is asked by nobody but the door, where it is edge, and by what watches', () => {
    expect(from(namespaceWith('tollgate-ingress'), 'http')).toBe(service === 'edge');
    expect(from(namespaceWith('tollgate-ingress'), 'internal')).toBe(false);
    expect(from(namespaceWith('tollgate-monitoring'), 'internal')).toBe(true);
    for (const other of [{ namespace: ours, pod: labels }, { namespace: {} }, { address: '203.0.113.9' }])
      expect([from(other, 'http'), from(other, 'internal')]).toEqual([false, false]);
  });
});

it('lets everything pass where no policy chooses the pod, as a cluster does', () => {
  expect(reach.allows('Egress', { app: 'other' }, { address: '203.0.113.9' }, 80)).toBe(true);
  expect(new Reach(manifestsIn('')).allows('Ingress', ours, { namespace: {} }, 80)).toBe(true);
});
