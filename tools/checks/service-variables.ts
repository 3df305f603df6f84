import { natsCredentials } from '@tollgate/configuration';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '../stack/workspace-root';

/** The variables of the schemas in a source file: names in capitals that are keys. Only files that parse the environment are asked. */
function variablesIn(source: string): string[] {
  if (!source.includes('readEnvironment(')) return [];
  const own = [...source.matchAll(/^\s+([A-Z][A-Z0-9_]+):/gm)].flatMap(([, name]) => (name ? [name] : []));
  return source.includes('...natsCredentials') ? [...own, ...Object.keys(natsCredentials)] : own;
}

/** Every variable that the sources below a folder of the workspace read. */
export function variablesBelow(folder: string): string[] {
  const files = readdirSync(join(workspaceRoot, folder), { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts') && !file.includes('generated'))
    .flatMap((file) => variablesIn(readFileSync(join(workspaceRoot, folder, file), 'utf8')));
}
