import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { workspaceRoot } from '../stack/workspace-root';
import { chartFiles } from './chart';

// Writes the chart anew, from the manifests as they are.
for (const [path, text] of chartFiles()) {
  const file = join(workspaceRoot, 'deploy/helm/tollgate', path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
