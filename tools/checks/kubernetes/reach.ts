import { z } from 'zod';
import type { Manifest } from './manifests';

const selector = z.strictObject({
  matchLabels: z.record(z.string(), z.string()).default({}),
  matchExpressions: z
    .array(z.strictObject({ key: z.string(), operator: z.literal('In'), values: z.array(z.string()) }))
    .default([]),
});
const peer = z.strictObject({
  namespaceSelector: selector.optional(),
  podSelector: selector.optional(),
  ipBlock: z.strictObject({ cidr: z.string(), except: z.array(z.string()).default([]) }).optional(),
});
const ports = z.array(z.strictObject({ protocol: z.enum(['TCP', 'UDP']), port: z.union([z.string(), z.number()]) }));
const policy = z.object({
  kind: z.literal('NetworkPolicy'),
  spec: z.strictObject({
    podSelector: selector,
    policyTypes: z.array(z.enum(['Ingress', 'Egress'])),
    ingress: z.array(z.strictObject({ from: z.array(peer), ports })).default([]),
    egress: z.array(z.strictObject({ to: z.array(peer), ports })).default([]),
  }),
});

/** Somebody else: a pod of a namespace with these labels, or a host somewhere else. */
export type Somebody = { namespace: Labels; pod?: Labels } | { address: string };
type Labels = Record<string, string>;

/**
 * What NetworkPolicies let pass, as a cluster reads them: whoever is chosen by any policy of a direction may
 * do only what one of those allows.
 */
export class Reach {
  private readonly policies: z.infer<typeof policy>['spec'][];

  constructor(manifests: readonly Manifest[]) {
    this.policies = manifests.filter(({ kind }) => kind === 'NetworkPolicy').map((one) => policy.parse(one).spec);
  }

  /** `port`: as the policy names it, a number or the name of a container's port. */
  allows(
    direction: 'Ingress' | 'Egress',
    pod: Labels,
    other: Somebody,
    port: number | string,
    protocol = 'TCP',
  ): boolean {
    const about = this.policies.filter(
      ({ policyTypes, podSelector }) => policyTypes.includes(direction) && chooses(podSelector, pod),
    );
    if (about.length === 0) return true;
    return about
      .flatMap(({ ingress, egress }) =>
        direction === 'Egress'
          ? egress.map(({ to, ports }) => ({ peers: to, ports }))
          : ingress.map(({ from, ports }) => ({ peers: from, ports })),
      )
      .some(
        ({ peers, ports }) =>
          peers.some((one) => isPeer(one, other)) &&
          ports.some((one) => one.port === port && one.protocol === protocol),
      );
  }
}

function chooses({ matchLabels, matchExpressions }: z.infer<typeof selector>, labels: Labels): boolean {
  return (
    Object.entries(matchLabels).every(([name, value]) => labels[name] === value) &&
    matchExpressions.every(({ key, values }) => values.includes(labels[key] ?? ''))
  );
}

function isPeer({ namespaceSelector, podSelector, ipBlock }: z.infer<typeof peer>, other: Somebody): boolean {
  if ('address' in other) return ipBlock !== undefined && isWithin(other.address, ipBlock);
  if (!namespaceSelector && !podSelector) return false;
  return (
    chooses(namespaceSelector ?? { matchLabels: ours, matchExpressions: [] }, other.namespace) &&
    (!podSelector || chooses(podSelector, other.pod ?? {}))
  );
}

/** Without a namespaceSelector a peer is of the policy's own namespace. */
export const ours: Labels = { 'kubernetes.io/metadata.name': 'tollgate' };

function isWithin(address: string, { cidr, except }: { cidr: string; except: string[] }): boolean {
  return isIn(address, cidr) && !except.some((range) => isIn(address, range));
}

/** IPv4 only: the ranges of IPv6 say the same. */
function isIn(address: string, range: string): boolean {
  const [base = '', bits = '32'] = range.split('/');
  if (base.includes(':')) return false;
  const size = 2 ** (32 - Number(bits));
  return Math.floor(numberOf(address) / size) === Math.floor(numberOf(base) / size);
}

const numberOf = (address: string): number => address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
