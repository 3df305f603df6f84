import { Document, isMap, isScalar } from 'yaml';
import { z } from 'zod';

const quantities = z.record(z.string(), z.string());
const resources = z.strictObject({ requests: quantities, limits: quantities });
const name = z.string().regex(/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/, 'must be a name that Kubernetes takes');
const digest = z.string().regex(/^(sha256:[0-9a-f]{64})?$/, 'must be a digest, as sha256:…');
const peers = z.array(z.looseObject({})).min(1);
const several = z.strictObject({ replicas: z.int().positive(), resources });

/**
 * What an installation sets. Names of Secrets are those of Secrets that are there before. `names`: which of
 * them, which images, and which peers of network policies, the manifests have; no others can be set.
 */
export function chartValues(names: Readonly<Record<'secrets' | 'peers' | 'images', readonly string[]>>) {
  return z.strictObject({
    image: z.strictObject({
      registry: z.string().min(1),
      tag: z.string(),
      digests: ofEach(names.images, digest),
      pullSecrets: z.array(z.strictObject({ name })),
    }),
    priorityClassName: z.union([z.literal(''), name]),
    settings: z.record(z.string().regex(/^[A-Z][A-Z0-9_]*$/), z.string()),
    tollgateYaml: z.string(),
    ...{ edge: several, accounts: several, catalog: several, metering: several },
    inference: z.strictObject({
      resources,
      autoscaling: z.strictObject({
        minReplicas: z.int().positive(),
        maxReplicas: z.int().positive(),
        onStreams: z.boolean(),
      }),
    }),
    gateway: z.strictObject({ enabled: z.boolean(), host: z.string().min(1), parentRefs: peers }),
    ingress: z.strictObject({ enabled: z.boolean(), host: z.string().min(1), className: name, tlsSecret: name }),
    cli: z.strictObject({ enabled: z.boolean() }),
    networkPolicies: z.strictObject({ enabled: z.boolean(), peers: ofEach(names.peers, peers) }),
    secrets: ofEach(names.secrets, name),
  });
}
type ChartValues = z.infer<ReturnType<typeof chartValues>>;

function ofEach<Value extends z.ZodType>(names: readonly string[], value: Value) {
  return z.strictObject(Object.fromEntries(names.map((one) => [one, value])));
}

const comments: Readonly<Record<string, string>> = {
  image:
    ' Images are <registry>/tollgate-<service>:<tag>; without a tag, those of the release that the chart is of. A digest (sha256:…)\n names one image for ever, whatever the tag.',
  priorityClassName: ' Pods that others make room for: the name of a PriorityClass of your cluster.',
  settings: ' Variables for every service: those that hold no secret. .env.example says what each means.',
  tollgateYaml: " The operator's file: providers, models, plans. The format: docs/tollgate.example.yaml.",
  catalog: ' One is enough: the others go on with what they know while it is away.',
  inference:
    ' By CPU, which every cluster can tell; onStreams counts streams instead, which the custom metrics API must tell\n (deploy/kubernetes/prometheus/adapter-rule.yaml).',
  gateway: ' A route of the Gateway API (1.0 or newer) to your Gateway, which ends TLS.',
  ingress: ' For clusters without a Gateway; its annotations are those of ingress-nginx.',
  cli: ' A pod for the command line: kubectl scale deploy/tollgate-cli --replicas 1',
  networkPolicies:
    ' Who may speak with whom. Servers and what watches are known by labels of their namespaces; a server outside of the\n cluster gets an ipBlock instead: [{ ipBlock: { cidr: 192.0.2.10/32 } }].',
  secrets: ' Secrets that have to be there before: docs/operate.md says what each holds.',
};

/** values.yaml, with what each section means. */
export function valuesText(values: ChartValues): string {
  const document = new Document(values, { version: '1.1', aliasDuplicateObjects: false });
  document.commentBefore =
    ' Made by tools/chart of deploy/kubernetes. What is absent in a file of yours stays as it is here.';
  const { contents } = document;
  if (!isMap(contents)) throw new Error('values are no object');
  for (const { key } of contents.items) {
    if (!isScalar(key)) continue;
    const comment = comments[String(key.value)];
    key.spaceBefore = key !== contents.items[0]?.key;
    if (comment !== undefined) key.commentBefore = comment;
  }
  return document.toString({ lineWidth: 0 });
}
