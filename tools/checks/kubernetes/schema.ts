import { Deployment } from 'kubernetes-models/apps/v1';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2';
import { Ingress, NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { ConfigMap, Namespace, PersistentVolumeClaim, Service, ServiceAccount } from 'kubernetes-models/v1';
import { z } from 'zod';
import type { Manifest } from './manifests';

/** The kinds that we use, each with the validation that was made from Kubernetes' own OpenAPI document. */
const models = [
  ConfigMap,
  Deployment,
  HorizontalPodAutoscaler,
  Ingress,
  Namespace,
  NetworkPolicy,
  PersistentVolumeClaim,
  PodDisruptionBudget,
  Service,
  ServiceAccount,
];

/**
 * What we use of a kind that is no part of Kubernetes itself. https://gateway-api.sigs.k8s.io/reference/spec
 */
const httpRoute = z.strictObject({
  apiVersion: z.literal('gateway.networking.k8s.io/v1'),
  kind: z.literal('HTTPRoute'),
  metadata: z.strictObject({ name: z.string(), namespace: z.string().optional(), labels: z.unknown().optional() }),
  spec: z.strictObject({
    parentRefs: z.array(z.strictObject({ name: z.string(), namespace: z.string().optional() })).min(1),
    hostnames: z.array(z.string()).min(1),
    rules: z.array(
      z.strictObject({
        backendRefs: z.array(z.strictObject({ name: z.string(), port: z.number().int() })).min(1),
        timeouts: z.strictObject({ request: z.string().regex(/^([0-9]{1,5}(h|m|s|ms)){1,4}$/) }),
      }),
    ),
  }),
});

/**
 * What a strict API server would not take of a manifest, a sentence each. The schemas let unknown fields
 * pass; so the manifest keeps a record of the fields that the validation looked at, and one that it never
 * looked at is one that Kubernetes does not know.
 */
export function problemsOf(manifest: Manifest): string[] {
  if (manifest.kind === 'HTTPRoute')
    return (httpRoute.safeParse(manifest).error?.issues ?? []).map(
      ({ path, message }) => `/${path.join('/')}: ${message}`,
    );
  const model = models.find(({ apiVersion, kind }) => apiVersion === manifest.apiVersion && kind === manifest.kind);
  if (!model) return [`${manifest.apiVersion} ${manifest.kind}: a kind without a schema`];
  const looked = new Set<string>();
  const problems: string[] = [];
  try {
    model.prototype.validate.call(watched(manifest, '', looked));
  } catch (error) {
    problems.push(error instanceof Error ? error.message : String(error));
  }
  const unknown = pathsOf(manifest, '').filter((path) => !looked.has(path));
  return [...problems, ...unknown.map((path) => `${path}: Kubernetes knows no such field`)];
}

function watched(value: object, path: string, looked: Set<string>): object {
  return new Proxy(value, {
    get(target, name): unknown {
      const found: unknown = Reflect.get(target, name);
      if (typeof name === 'symbol' || !Object.hasOwn(target, name)) return found;
      looked.add(`${path}/${name}`);
      return isObject(found) ? watched(found, `${path}/${name}`, looked) : found;
    },
  });
}

function pathsOf(value: object, path: string): string[] {
  return Object.entries(value).flatMap(([name, inner]: [string, unknown]) => [
    `${path}/${name}`,
    ...(isObject(inner) ? pathsOf(inner, `${path}/${name}`) : []),
  ]);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
