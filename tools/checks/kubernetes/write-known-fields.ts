import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { knownFieldsFile, typeOfKind, type KnownFields } from './known-fields';
import { kindsWithSchema } from './schema';

/**
 * Releases of Kubernetes' own client for Node, each made from the OpenAPI document of one version:
 * https://github.com/kubernetes-client/javascript#compatibility
 */
const clients = ['1.0.0', '1.4.0', '2.0.1'];

const attributes = z.array(z.object({ baseName: z.string(), type: z.string() }));
type Types = KnownFields['types'];

// Writes known-fields.json anew, for the kinds that have a schema: with a newer client above, say.
async function write(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-kubernetes-'));
  try {
    const known = [];
    for (const client of clients) known.push(await fieldsOf(client, folder));
    const versions = known.map(({ version }) => version);
    const types = known.map((one) => one.types).reduce(common);
    writeFileSync(knownFieldsFile, `${JSON.stringify({ versions, types } satisfies KnownFields, null, 1)}\n`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The version that a client was made for, and the types that our kinds are made of there. */
async function fieldsOf(client: string, folder: string): Promise<{ version: string; types: Types }> {
  const target = `client@npm:@kubernetes/client-node@${client}`;
  const own = join(folder, client);
  const { status } = spawnSync('npm', ['install', '--prefix', own, '--no-audit', '--ignore-scripts', target], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) throw new Error(`npm could not install ${target}.`);
  const models = join(own, 'node_modules/client/dist/gen/models');
  const types: Types = {};
  const open = kindsWithSchema.map(typeOfKind);
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (types[name]) continue;
    const module: unknown = await import(pathToFileURL(join(models, `${name}.js`)).href);
    const fields = attributes.parse(Reflect.get(Object(Reflect.get(Object(module), name)), 'attributeTypeMap'));
    types[name] = Object.fromEntries(fields.map(({ baseName, type }) => [baseName, type]));
    open.push(...fields.flatMap(({ type }) => /\bV\d\w*|\b[A-Z]\w+V\d\w*/.exec(type) ?? []));
  }
  const version = /OpenAPI spec version: \D*([0-9]+\.[0-9]+)/.exec(readFileSync(join(models, 'V1Pod.js'), 'utf8'))?.[1];
  if (version === undefined) throw new Error(`${target} does not say which version of Kubernetes it is for.`);
  return { version, types };
}

/** What both know, and take in the same form. */
function common(one: Types, other: Types): Types {
  return Object.fromEntries(
    Object.entries(one).flatMap(([name, fields]) => {
      const others = other[name];
      return others
        ? [[name, Object.fromEntries(Object.entries(fields).filter(([field, type]) => others[field] === type))]]
        : [];
    }),
  );
}

write().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
