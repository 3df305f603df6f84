// `npm test`: everything a change must pass, in one command. The last line says how many tests passed and failed.
import { fileURLToPath } from 'node:url';
import { runSection } from './checks/section.mjs';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
process.env.PATH = `node_modules/.bin:${process.env.PATH}`;

const nx = (target) => ['nx', 'run-many', '-t', target, '--output-style=static'];
const tests = (kind) => ({ command: ['jest'], environment: { TEST_KIND: kind }, hasTests: true });

/** One stage after the other. What stands in one stage runs at the same time: each uses one core or waits for the network. */
const stages = [
  [
    { name: 'lock file', command: ['node', 'tools/checks/lock-file.mjs'] },
    { name: 'programs', command: ['node', '--import', 'tsx', 'tools/checks/programs.ts'] },
    { name: 'format', command: ['prettier', '--check', '--log-level=warn', '.'] },
    { name: 'generate', command: nx('generate') },
  ],
  [{ name: 'lint', command: nx('lint') }],
  [
    { name: 'types', command: ['tsc', '-p', 'tsconfig.node.json'] },
    { name: 'types of the dashboard', command: ['tsc', '-p', 'apps/dashboard/tsconfig.json'] },
    { name: 'dead code', command: ['knip'] },
    { name: 'build', command: nx('build') },
  ],
  [{ name: 'unit tests', ...tests('unit') }],
  [{ name: 'integration tests', ...tests('integration') }],
  [{ name: 'end-to-end tests', ...tests('e2e') }],
  [{ name: 'short proofs', ...tests('proof') }],
];

const startedAt = Date.now();
const results = [];
for (const stage of stages) results.push(...(await Promise.all(stage.map(runSection))));

console.log('\nSummary');
for (const { name, ok, seconds } of results)
  console.log(`  ${ok ? 'passed' : 'FAILED'}  ${name.padEnd(22)} ${seconds.toFixed(1).padStart(7)} s`);
const total = (field) => results.reduce((sum, result) => sum + result[field], 0);
console.log(`  total ${((Date.now() - startedAt) / 1000).toFixed(1)} s`);
console.log(`${total('passed')} passed, ${total('failed')} failed`);
process.exit(total('failed') ? 1 : 0);
