// `npm test`: everything a change must pass, in one command. The last line says how many tests passed and failed.
import { fileURLToPath } from 'node:url';
import { runSection } from './checks/section.mjs';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
process.env.PATH = `node_modules/.bin:${process.env.PATH}`;

const nx = (...args) => ['nx', ...args, '--output-style=static'];
const tests = (kind) => ({ command: ['jest'], environment: { TEST_KIND: kind }, hasTests: true });

/**
 * One stage after the other. The lanes of a stage run at the same time, for two cores: what stands in one lane runs in turn, so that both are busy to the end.
 * Tests use both cores by themselves; unit tests stand beside the lint, which takes longest.
 */
const stages = [
  [[{ name: 'generate', command: nx('run-many', '-t', 'generate') }]],
  [
    // The types of everything at once take 2 GB, which is what Node allows itself on a small machine.
    [
      {
        name: 'lint',
        command: nx('run', 'tools:lint-everything'),
        environment: { NODE_OPTIONS: '--max-old-space-size=3072' },
      },
    ],
    [
      { name: 'types', command: ['tsc', '-p', 'tsconfig.node.json'] },
      { name: 'types of the dashboard', command: ['tsc', '-p', 'apps/dashboard/tsconfig.json'] },
      { name: 'dead code', command: ['knip'] },
      { name: 'format', command: ['prettier', '--check', '--log-level=warn', '.'] },
      { name: 'build', command: nx('run-many', '-t', 'build') },
      { name: 'unit tests', ...tests('unit') },
    ],
    // Waits for the network, if it has to fetch a server.
    [
      { name: 'lock file', command: ['node', 'tools/checks/lock-file.mjs'] },
      { name: 'programs', command: ['node', '--import', 'tsx', 'tools/checks/programs.ts'] },
    ],
  ],
  [[{ name: 'integration tests', ...tests('integration') }]],
  [[{ name: 'end-to-end tests', ...tests('e2e') }]],
  [[{ name: 'short proofs', ...tests('proof') }]],
];

const startedAt = Date.now();
const results = [];
for (const lanes of stages) await Promise.all(lanes.map(runLane));

console.log('\nSummary');
for (const { name, ok, seconds } of results)
  console.log(`  ${ok ? 'passed' : 'FAILED'}  ${name.padEnd(22)} ${seconds.toFixed(1).padStart(7)} s`);
const total = (field) => results.reduce((sum, result) => sum + result[field], 0);
console.log(`  total ${((Date.now() - startedAt) / 1000).toFixed(1)} s`);
console.log(`${total('passed')} passed, ${total('failed')} failed`);
process.exit(total('failed') ? 1 : 0);

async function runLane(sections) {
  for (const section of sections) results.push(await runSection(section));
}
