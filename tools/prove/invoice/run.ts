import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { workspaceRoot } from '../../stack/workspace-root';
import type { Say } from '../proof';

/** Who reads the table of raw answers, and what each of them shows. */
const readers = [
  { project: 'libs/dialects', spec: 'usage-table', shows: 'what each answer used is read from it, on every surface' },
  {
    project: 'apps/inference',
    spec: 'usage-table',
    shows: 'what is known of each answer that was cut off is read from it',
  },
  { project: 'apps/metering', spec: 'usage-table', shows: 'what it costs is what was worked out by hand' },
  { project: 'apps/catalog', spec: 'seed.spec', shows: 'the prices are those in force' },
];

/**
 * Holds when every answer of `libs/dialects/src/proof/__fixtures__/invoice.json` costs what stands there, to
 * the nano-dollar. Needs no server.
 */
export async function runInvoice(_values: object, say: Say): Promise<boolean> {
  let holds = true;
  for (const { project, spec, shows } of readers) {
    const args = ['jest', '-c', `${project}/jest.config.cjs`, '--silent', spec];
    const [code] = (await once(spawn('npx', args, { cwd: workspaceRoot, stdio: 'inherit' }), 'exit')) as [
      number | null,
    ];
    holds &&= code === 0;
    say(`${code === 0 ? 'holds' : 'FAILS'}: ${shows}`);
  }
  return holds;
}
