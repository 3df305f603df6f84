import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { z } from 'zod';
import { kubernetesFolder, kustomizationOf, manifestsOf, type Manifest } from '../checks/kubernetes/manifests';
import { workspaceRoot } from '../stack/workspace-root';
import { onlyIf, templateText } from './placeholders';
import { asTemplate, type Defaults } from './template';
import { chartValues, valuesText } from './values';

/** Which components of the manifests the chart has, and the value that switches each on. */
const components: Readonly<Record<string, string>> = {
  gateway: '.Values.gateway.enabled',
  ingress: '.Values.ingress.enabled',
  cli: '.Values.cli.enabled',
};
const made = 'Made by tools/chart of deploy/kubernetes: change that.';
const madeComment = `{{- /* ${made} */}}\n`;

/**
 * The files of the chart, by their paths in it: the manifests of deploy/kubernetes with expressions of Helm
 * in the place of what an installation sets, whose defaults are what stands there.
 */
export function chartFiles(): ReadonlyMap<string, string> {
  const defaults: Defaults = new Map();
  const files = new Map<string, string>();
  const { resources } = kustomizationOf('base');
  for (const path of resources) files.set(`templates/${path}`, template(manifestsOf(join('base', path)), defaults));
  for (const [name, condition] of Object.entries(components)) {
    const own = kustomizationOf(join('components', name)).resources;
    const text = template(
      own.flatMap((path) => manifestsOf(join('components', name, path))),
      defaults,
    );
    files.set(`templates/${name}.yaml`, onlyIf(condition, text));
  }
  files.set('templates/configmaps.yaml', configMaps);
  files.set('Chart.yaml', chartText());
  const schema = chartValues({
    secrets: namesIn('secrets', defaults),
    peers: namesIn('networkPolicies.peers', defaults),
    images: namesIn('image.digests', defaults),
  });
  files.set('values.yaml', valuesText(schema.parse(valuesOf(defaults))));
  files.set('values.schema.json', `${JSON.stringify(z.toJSONSchema(schema), null, 2)}\n`);
  return files;
}

/**
 * Documents of one file. Network policies and the way in which inference is scaled are the operator's
 * choice.
 */
function template(manifests: readonly Manifest[], defaults: Defaults): string {
  const texts = manifests.flatMap((one) => {
    const text = (manifest: Manifest): string => `---\n${templateText(asTemplate(manifest, defaults))}`;
    if (one.kind === 'NetworkPolicy') return onlyIf('.Values.networkPolicies.enabled', text(one));
    if (one.kind !== 'HorizontalPodAutoscaler') return text(one);
    const onStreams = '.Values.inference.autoscaling.onStreams';
    return [onlyIf(`not ${onStreams}`, text(one)), onlyIf(onStreams, text(scaledOnStreams(one)))];
  });
  return `${madeComment}${texts.join('')}`;
}

/** The autoscaler as the component changes it, which only has other metrics. */
function scaledOnStreams(autoscaler: Manifest): Manifest {
  const [patch] = manifestsOf('components/autoscale-on-streams/autoscaler.yaml');
  return { ...autoscaler, spec: { ...(autoscaler.spec as object), ...(patch?.spec as object) } };
}

const labels = `  labels:
    app.kubernetes.io/part-of: tollgate
    app.kubernetes.io/managed-by: {{ .Release.Service }}
    helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
`;
const configMaps = `${madeComment}---
apiVersion: v1
kind: ConfigMap
metadata:
  name: tollgate-settings
${labels}data:
  {{- toYaml .Values.settings | nindent 2 }}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: tollgate-config
${labels}data:
  tollgate.yaml: {{ .Values.tollgateYaml | quote }}
`;

function chartText(): string {
  const { version, license } = z
    .object({ version: z.string(), license: z.string() })
    .parse(JSON.parse(readFileSync(join(workspaceRoot, 'package.json'), 'utf8')));
  return `# ${made}\n${stringify({
    ...{ apiVersion: 'v2', name: 'tollgate', type: 'application', version, appVersion: version },
    ...{ description: 'A model gateway: one API key, every model, a bill that is exact.' },
    ...{ kubeVersion: '>=1.27.0-0', annotations: { 'artifacthub.io/license': license } },
  })}`;
}

/** The names of a section that the manifests have. */
function namesIn(section: string, defaults: Defaults): string[] {
  const paths = [...defaults.keys()].filter((path) => path.startsWith(`${section}.`));
  return paths.map((path) => path.slice(section.length + 1));
}

function valuesOf(defaults: Defaults): object {
  const { configMapGenerator } = kustomizationOf('base');
  const literals = configMapGenerator.flatMap(({ literals: some }) => some.map((text) => text.split('=', 2)));
  const values: Record<string, unknown> = {
    image: { registry: 'registry.example.com', tag: '', digests: {}, pullSecrets: [] },
    priorityClassName: '',
    settings: { TOLLGATE_PUBLIC_URL: 'https://gateway.example.com', ...Object.fromEntries(literals) },
    tollgateYaml: readFileSync(join(kubernetesFolder, 'base/tollgate.yaml'), 'utf8'),
    ...{ edge: {}, inference: { autoscaling: { onStreams: false } }, accounts: {}, catalog: {}, metering: {} },
    ...{ gateway: { enabled: true }, ingress: { enabled: false }, cli: { enabled: false } },
    ...{ networkPolicies: { enabled: true, peers: {} }, secrets: {} },
  };
  for (const [path, value] of defaults) set(values, path.split('.'), value);
  return values;
}

function set(node: Record<string, unknown>, [field = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) node[field] = value;
  else set((node[field] ??= {}) as Record<string, unknown>, rest, value);
}
