import { build } from 'esbuild';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '../stack/workspace-root';

/** Something of a package that a file imports, how, and a file that does. */
interface Imported {
  path: string;
  kind: string;
  file: string;
}

/** The programs of all services, the threads that they start, the CLI and the launcher. */
export function programs(): string[] {
  const apps = readdirSync(join(workspaceRoot, 'apps'), { recursive: true, encoding: 'utf8' });
  const ofServices = apps.filter((path) => /^[\w-]+\/src\/main\.ts$|\.worker\.ts$/.test(path));
  return [...ofServices.map((path) => `apps/${path}`), 'tools/stack/main.ts', 'tools/cli/main.ts'];
}

/** What these files, and what they import of ours, import of packages: each once. */
export async function importsOf(entryPoints: readonly string[]): Promise<Imported[]> {
  const { metafile } = await build({
    absWorkingDir: workspaceRoot,
    entryPoints: entryPoints.map((path) => `./${path}`),
    outdir: 'dist/never-written',
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    tsconfig: join(workspaceRoot, 'tsconfig.base.json'),
    loader: { '.css': 'empty', '.md': 'text' },
    logLevel: 'silent',
  });
  // Our own libraries stand as such where only their types are imported.
  const imports = Object.entries(metafile.inputs).flatMap(([file, input]) =>
    input.imports
      .filter(({ path, external }) => external && !/^(node:|\.|<runtime>|@tollgate\/)/.test(path))
      .map(({ path, kind }) => ({ path, kind, file })),
  );
  return [...new Map(imports.map((each) => [each.path, each])).values()];
}
