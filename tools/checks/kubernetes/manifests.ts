import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { workspaceRoot } from '../../stack/workspace-root';

export const kubernetesFolder = join(workspaceRoot, 'deploy/kubernetes');

const manifest = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string(), namespace: z.string().optional() }),
});
export type Manifest = z.infer<typeof manifest>;

/** The documents of a text in YAML. @throws Error when it is no YAML or a document is no manifest. */
export function manifestsIn(text: string): Manifest[] {
  // As Kubernetes reads it: 0440 is a number in base eight, and a bare off is no text.
  return parseAllDocuments(text, { version: '1.1' }).map((document) => {
    if (document.errors[0]) throw document.errors[0];
    return manifest.parse(document.toJS());
  });
}

export function manifestsOf(path: string): Manifest[] {
  return manifestsIn(readFileSync(join(kubernetesFolder, path), 'utf8'));
}

const patch = z.strictObject({
  path: z.string(),
  target: z.strictObject({ kind: z.string(), name: z.string() }).optional(),
});
/** What we use of Kustomize; a field that is not here has no test. */
const kustomization = z.strictObject({
  apiVersion: z.enum(['kustomize.config.k8s.io/v1beta1', 'kustomize.config.k8s.io/v1alpha1']),
  kind: z.enum(['Kustomization', 'Component']),
  namespace: z.string().optional(),
  labels: z.array(z.unknown()).optional(),
  resources: z.array(z.string()).default([]),
  components: z.array(z.string()).default([]),
  images: z.array(z.strictObject({ name: z.string(), newName: z.string(), newTag: z.string() })).default([]),
  configMapGenerator: z
    .array(
      z.strictObject({
        name: z.string(),
        behavior: z.enum(['merge', 'replace']).optional(),
        files: z.array(z.string()).default([]),
        envs: z.array(z.string()).default([]),
        literals: z.array(z.string()).default([]),
      }),
    )
    .default([]),
  patches: z.array(patch).default([]),
});
export type Kustomization = z.infer<typeof kustomization>;

export function kustomizationOf(folder: string): Kustomization {
  const [document] = parseAllDocuments(readFileSync(join(kubernetesFolder, folder, 'kustomization.yaml'), 'utf8'));
  return kustomization.parse(document?.toJS());
}

/** Every folder with a kustomization.yaml. */
export const folders = readdirSync(kubernetesFolder, { recursive: true, encoding: 'utf8' }).filter((folder) =>
  existsSync(join(kubernetesFolder, folder, 'kustomization.yaml')),
);
