import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { workspaceRoot } from '../../stack/workspace-root';
import type { Manifest } from './manifests';

/** Where `npm run kubernetes:fields` writes what this reads. */
export const knownFieldsFile = join(workspaceRoot, 'tools/checks/kubernetes/known-fields.json');

/**
 * The fields that every one of some versions of Kubernetes knows, with the same type: `types` by the names
 * that its OpenAPI document has for them (`V1PodSpec`), each field with its type (`Array<V1Container>`).
 */
const knownFields = z.strictObject({
  versions: z.array(z.string()).min(3),
  types: z.record(z.string(), z.record(z.string(), z.string())),
});
export type KnownFields = z.infer<typeof knownFields>;

const { versions, types } = knownFields.parse(JSON.parse(readFileSync(knownFieldsFile, 'utf8')));

/** The type of a kind: `V2HorizontalPodAutoscaler` of `autoscaling/v2`. */
export function typeOfKind({ apiVersion, kind }: Pick<Manifest, 'apiVersion' | 'kind'>): string {
  return `${apiVersion.replace(/^.*\//, '').toUpperCase()}${kind}`;
}

/**
 * What of a manifest one of the versions would not take, a sentence each: a field that it does not know, or
 * one whose value has another type there. Which fields must be there and which values they may have is not
 * looked at.
 */
export function unknownIn(manifest: Manifest): string[] {
  return misfits(manifest, typeOfKind(manifest), '');
}

function misfits(value: unknown, type: string, path: string): string[] {
  const item = /^Array<(.*)>$/.exec(type)?.[1];
  if (item !== undefined)
    return Array.isArray(value)
      ? value.flatMap((one: unknown, index) => misfits(one, item, `${path}/${index}`))
      : [`${path}: is no list`];
  const entry = /^{ \[key: string\]: (.*); }$/.exec(type)?.[1];
  const fields = types[type];
  if (entry === undefined && !fields) return isOf(type, value) ? [] : [`${path}: is no ${type}`];
  if (typeof value !== 'object' || value === null) return [`${path}: is no object`];
  return Object.entries(value).flatMap(([name, inner]: [string, unknown]) => {
    const of = entry ?? fields?.[name];
    return of === undefined
      ? [`${path}/${name}: Kubernetes ${versions.join(', ')} do not all know such a field`]
      : misfits(inner, of, `${path}/${name}`);
  });
}

function isOf(type: string, value: unknown): boolean {
  if (type === 'any') return true;
  if (type === 'IntOrString') return typeof value === 'string' || typeof value === 'number';
  return typeof value === (type === 'Date' ? 'string' : type);
}
