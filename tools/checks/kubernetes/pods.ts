import { z } from 'zod';
import type { Manifest } from './manifests';

const probe = z.object({
  httpGet: z.object({ path: z.string(), port: z.string() }),
  periodSeconds: z.number(),
  failureThreshold: z.number(),
});
const reference = z.object({ name: z.string(), key: z.string(), optional: z.boolean().optional() });
const variable = z.object({
  name: z.string(),
  value: z.string().optional(),
  valueFrom: z.object({ secretKeyRef: reference }).optional(),
});
const secretSource = z.object({
  secret: z.object({ name: z.string(), items: z.array(z.object({ key: z.string(), path: z.string() })) }),
});

/** What the tests ask of a Deployment, beyond what its schema says. */
const deployment = z.object({
  kind: z.literal('Deployment'),
  metadata: z.object({ name: z.string() }),
  spec: z.object({
    replicas: z.number().optional(),
    selector: z.object({ matchLabels: z.record(z.string(), z.string()) }),
    template: z.object({
      metadata: z.object({
        labels: z.record(z.string(), z.string()),
        annotations: z.record(z.string(), z.string()).default({}),
      }),
      spec: z.object({
        serviceAccountName: z.string(),
        automountServiceAccountToken: z.literal(false),
        enableServiceLinks: z.literal(false),
        terminationGracePeriodSeconds: z.number(),
        priorityClassName: z.string().optional(),
        securityContext: z.object({
          runAsNonRoot: z.literal(true),
          runAsUser: z.number().positive(),
          seccompProfile: z.object({ type: z.literal('RuntimeDefault') }),
        }),
        containers: z.tuple([
          z.object({
            name: z.string(),
            image: z.string(),
            ports: z.array(z.object({ name: z.string(), containerPort: z.number() })).default([]),
            env: z.array(variable),
            envFrom: z
              .array(
                z.strictObject({
                  configMapRef: z.object({ name: z.string() }).optional(),
                  secretRef: z.object({ name: z.string() }).optional(),
                }),
              )
              .default([]),
            startupProbe: probe.optional(),
            livenessProbe: probe.optional(),
            readinessProbe: probe.optional(),
            resources: z.object({
              requests: z.object({ cpu: z.string(), memory: z.string() }),
              limits: z.object({ memory: z.string() }),
            }),
            securityContext: z.object({
              allowPrivilegeEscalation: z.literal(false),
              readOnlyRootFilesystem: z.literal(true),
              capabilities: z.object({ drop: z.tuple([z.literal('ALL')]) }),
            }),
            volumeMounts: z.array(
              z.object({ name: z.string(), mountPath: z.string(), readOnly: z.boolean().optional() }),
            ),
          }),
        ]),
        volumes: z.array(
          z.object({
            name: z.string(),
            projected: z.object({ sources: z.array(secretSource) }).optional(),
            configMap: z.object({ name: z.string() }).optional(),
            emptyDir: z.object({ sizeLimit: z.string() }).optional(),
          }),
        ),
      }),
    }),
  }),
});
export type Deployment = z.infer<typeof deployment>;

export const deploymentsIn = (manifests: readonly Manifest[]): Deployment[] =>
  manifests.filter(({ kind }) => kind === 'Deployment').map((one) => deployment.parse(one));

/** edge, inference, …: the service that a Deployment runs. */
export const serviceOf = ({ spec }: Deployment): string =>
  spec.template.metadata.labels['app.kubernetes.io/component'] ?? '';

export const containerOf = ({ spec }: Deployment) => spec.template.spec.containers[0];

/** The names of the variables that a container gets, with X for X_FILE. */
export const variablesOf = (one: Deployment): string[] =>
  containerOf(one).env.map(({ name }) => name.replace(/_FILE$/, ''));
