import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The folder of this clone: the nearest one above that holds nx.json. */
function workspaceRoot(): string {
  let folder = __dirname;
  while (!existsSync(join(folder, 'nx.json'))) {
    if (folder === dirname(folder)) throw new Error(`No workspace above ${__dirname}.`);
    folder = dirname(folder);
  }
  return folder;
}

/** Where data are kept that test servers begin with. */
export function preparedDataFolder(): string {
  return join(workspaceRoot(), '.tollgate', 'postgres');
}

/** Where programs are kept that are fetched once per clone. */
export function toolsFolder(): string {
  return join(workspaceRoot(), '.tollgate', 'bin');
}
