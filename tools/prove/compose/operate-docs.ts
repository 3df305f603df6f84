import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readmeBlocks } from '../../checks/readme-blocks';
import { workspaceRoot } from '../../stack/workspace-root';

/** The blocks of docs/operate.md that the proof runs, word for word, in its order. */
export const provenBlocks = [
  'preflight',
  'build',
  'up',
  'firewall',
  'compact',
  'watch',
  'scale',
  'edges',
  'single',
  'replace',
  'pepper',
  'forget',
  'passwords',
  'nats',
  'certificate',
  'backup',
  'wipe',
  'restore',
  'database',
  'volume',
  'pull',
  'servers',
  'records',
  'rest',
  'back',
] as const;
export type ProvenBlock = (typeof provenBlocks)[number];

/**
 * A block of docs/operate.md, by the name that the comment above it gives.
 * @throws Error when the docs have no such block.
 */
export function operateBlock(name: ProvenBlock): string {
  const blocks = readmeBlocks(readFileSync(join(workspaceRoot, 'docs/operate.md'), 'utf8'));
  const block = blocks.find(({ check }) => check === name);
  if (!block) throw new Error(`docs/operate.md has no block under <!-- check: ${name} -->`);
  return block.text;
}
