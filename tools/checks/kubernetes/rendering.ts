import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { kubernetesFolder, manifestsIn } from './manifests';
import type { Manifest } from './manifests';

const renderers = [
  ['kustomize', 'build'],
  ['kubectl', 'kustomize'],
] as const;
const found = renderers.find(([program, verb]) => spawnSync(program, [verb, '--help']).status === 0);

/** True where kustomize or kubectl is installed: npm has neither. */
export const canRender = found !== undefined;

/** What `kubectl apply -k` would send. */
export function rendered(folder: string): Manifest[] {
  const [program, verb] = found ?? renderers[0];
  const { status, stdout, stderr } = spawnSync(program, [verb, folder], { encoding: 'utf8', cwd: kubernetesFolder });
  if (status !== 0) throw new Error(stderr);
  return manifestsIn(stdout);
}

/** The base with some components, without the example's own patches. */
export function renderedWith(components: readonly string[]): Manifest[] {
  return renderedElsewhere((folder, up) => {
    const lines = [
      `resources: [${up}/base]`,
      'namespace: tollgate',
      `components: [${components.map((name) => `${up}/components/${name}`).join(', ')}]`,
      'configMapGenerator: [{ name: tollgate-settings, behavior: merge, literals: [TOLLGATE_PUBLIC_URL=https://gateway.example.com] }]',
    ];
    writeFileSync(join(folder, 'kustomization.yaml'), lines.join('\n'));
  });
}

/** A copy of the example, as somebody makes it theirs. */
export function renderedExample(change: (kustomization: string) => string): Manifest[] {
  return renderedElsewhere((folder, up) => {
    cpSync(join(kubernetesFolder, 'example'), folder, { recursive: true });
    const file = join(folder, 'kustomization.yaml');
    writeFileSync(file, change(readFileSync(file, 'utf8')).replaceAll('- ../', `- ${up}/`));
  });
}

/** Of a folder that is filled first, and told the way from there to deploy/kubernetes. */
function renderedElsewhere(fill: (folder: string, up: string) => void): Manifest[] {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'tollgate-kustomize-'));
  try {
    fill(folder, relative(folder, kubernetesFolder));
    return rendered(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
