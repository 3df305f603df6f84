import type { Manifest } from '../checks/kubernetes/manifests';
import { block, scalar } from './placeholders';

/** A part of a manifest that may be written to. */
type Node = { [field: string]: unknown };

const configDigest = `include (print $.Template.BasePath "/configmaps.yaml") . | sha256sum | quote`;
/** Labels of everything, beside those that a manifest has itself; pods get the first of them, too. */
const partOf = { 'app.kubernetes.io/part-of': 'tollgate' };
const managed = {
  'app.kubernetes.io/managed-by': scalar('.Release.Service'),
  'helm.sh/chart': scalar('printf "%s-%s" .Chart.Name .Chart.Version'),
};

/** What was set in manifests and is a value of the chart now, by the path of the value. */
export type Defaults = Map<string, unknown>;

/**
 * A manifest with expressions of Helm in the place of what an installation sets; what stood there is told as
 * the default of the value.
 */
export function asTemplate(manifest: Manifest, defaults: Defaults): object {
  const copy: Node & Manifest = structuredClone(manifest);
  copy.metadata.labels = { ...(copy.metadata.labels as object | undefined), ...partOf, ...managed };
  if (copy.kind === 'Deployment') setDeployment(copy, defaults);
  if (copy.kind === 'HorizontalPodAutoscaler') setAutoscaler(copy, defaults);
  if (copy.kind === 'NetworkPolicy') setPeers(copy, defaults);
  if (copy.kind === 'ServiceAccount') copy.imagePullSecrets = block('.Values.image.pullSecrets');
  if (copy.kind === 'HTTPRoute') setRoute(copy, defaults);
  if (copy.kind === 'Ingress') setIngress(copy, defaults);
  setSecrets(copy, defaults);
  return copy;
}

function setDeployment({ metadata, spec }: Node & Manifest, defaults: Defaults): void {
  const { template, ...own } = at(spec);
  const service = metadata.name.replace('tollgate-', '');
  const pod = at(template);
  const about = at(pod.metadata);
  about.labels = { ...at(about.labels), ...partOf };
  const [container] = at(pod.spec).containers as Node[];
  if (!container) throw new Error(`${metadata.name} has no container`);
  const digest = taken(`image.digests.${service}`, '', defaults);
  container.image = scalar(
    `printf "%s/${String(container.image)}%s" .Values.image.registry (empty ${digest} | ternary (printf ":%s" (.Values.image.tag | default .Chart.AppVersion)) (printf "@%s" ${digest}))`,
  );
  at(pod.spec).priorityClassName = text('.Values.priorityClassName');
  // The one of the command line is none of the service's size.
  if (service === 'cli') return;
  about.annotations = { ...at(about.annotations), 'checksum/config': scalar(configDigest) };
  if (own.replicas !== undefined) at(spec).replicas = scalar(taken(`${service}.replicas`, own.replicas, defaults));
  container.resources = block(taken(`${service}.resources`, container.resources, defaults));
}

function setAutoscaler({ spec }: Node & Manifest, defaults: Defaults): void {
  for (const field of ['minReplicas', 'maxReplicas'])
    at(spec)[field] = scalar(taken(`inference.autoscaling.${field}`, at(spec)[field], defaults));
}

/** Peers that a label of a namespace tells are the operator's to name. */
function setPeers({ metadata, spec }: Node & Manifest, defaults: Defaults): void {
  const name = camelCase(metadata.name.replace('tollgate-', ''));
  for (const [direction, field] of [
    ['egress', 'to'],
    ['ingress', 'from'],
  ] as const)
    for (const rule of (at(spec)[direction] ?? []) as Node[])
      if (JSON.stringify(rule[field] ?? '').includes('"tollgate-'))
        rule[field] = block(taken(`networkPolicies.peers.${name}`, rule[field], defaults));
}

function setRoute({ spec }: Node & Manifest, defaults: Defaults): void {
  const route = at(spec);
  route.hostnames = [text(taken('gateway.host', (route.hostnames as unknown[])[0], defaults))];
  route.parentRefs = block(taken('gateway.parentRefs', route.parentRefs, defaults));
}

function setIngress({ spec }: Node & Manifest, defaults: Defaults): void {
  const ingress = at(spec);
  const [tls] = ingress.tls as Node[];
  const [rule] = ingress.rules as Node[];
  if (!tls || !rule) throw new Error('an Ingress without a host');
  const host = text(taken('ingress.host', rule.host, defaults));
  tls.hosts = [host];
  rule.host = host;
  tls.secretName = text(taken('ingress.tlsSecret', tls.secretName, defaults));
  ingress.ingressClassName = text(taken('ingress.className', ingress.ingressClassName, defaults));
}

/** Names of Secrets, wherever they stand. */
function setSecrets(node: unknown, defaults: Defaults): void {
  if (Array.isArray(node)) for (const one of node) setSecrets(one, defaults);
  if (typeof node !== 'object' || node === null || Array.isArray(node)) return;
  for (const [field, child] of Object.entries(node)) {
    if (['secret', 'secretRef', 'secretKeyRef'].includes(field)) {
      const secret = at(child);
      const path = `secrets.${camelCase(String(secret.name).replace('tollgate-', ''))}`;
      secret.name = text(taken(path, secret.name, defaults));
    } else setSecrets(child, defaults);
  }
}

/** A text, whatever it looks like: `*.example.com` and `123` mean something else in YAML. */
function text(expression: string): string {
  return scalar(`${expression} | quote`);
}

/** Tells the default of a value, and gives the expression that names it. */
function taken(path: string, value: unknown, defaults: Defaults): string {
  defaults.set(path, structuredClone(value));
  return `.Values.${path}`;
}

function at(node: unknown): Node {
  return (node ?? {}) as Node;
}

function camelCase(text: string): string {
  return text.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
