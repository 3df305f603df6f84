import { Deployment } from 'kubernetes-models/apps/v1';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2';
import { Ingress, NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { ConfigMap, Namespace, PersistentVolumeClaim, Service, ServiceAccount } from 'kubernetes-models/v1';
import { z } from 'zod';
import { unknownIn } from './known-fields';
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

/** Every kind of Kubernetes itself that the manifests may have. */
export const kindsWithSchema = models.map(({ apiVersion, kind }) => ({ apiVersion, kind }));

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
 * What a strict API server of any version that we know would not take of a manifest, a sentence each: what
 * the validation of one version says, and fields that not every version knows, or takes in another form.
 */
export function problemsOf(manifest: Manifest): string[] {
  if (manifest.kind === 'HTTPRoute')
    return (httpRoute.safeParse(manifest).error?.issues ?? []).map(
      ({ path, message }) => `/${path.join('/')}: ${message}`,
    );
  const model = models.find(({ apiVersion, kind }) => apiVersion === manifest.apiVersion && kind === manifest.kind);
  if (!model) return [`${manifest.apiVersion} ${manifest.kind}: a kind without a schema`];
  try {
    model.prototype.validate.call(manifest);
    return unknownIn(manifest);
  } catch (error) {
    return [error instanceof Error ? error.message : String(error), ...unknownIn(manifest)];
  }
}
