// `npm test`: everything a change must pass, in one command. The last line says how many tests passed and
// failed; above it stands each one that failed, with what was wrong.
import { fileURLToPath } from 'node:url';
import { failureLines } from './checks/failed-tests.cjs';
import { runSection } from './checks/section.mjs';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
process.env.PATH = `node_modules/.bin:${process.env.PATH}`;

const nx = (...args) => ['nx', ...args, '--output-style=static'];
const tests = (kind) => ({ command: ['jest'], environment: { TEST_KIND: kind }, hasTests: true, again: true });
/** No core is free for helpers: a worker collects its garbage by itself, and seldom. A tenth less work. */
const ownGarbage = ['--single-threaded-gc', '--min-semi-space-size=32', '--max-semi-space-size=64'];
const jestProgram = 'node_modules/jest/bin/jest.js';
/** What they look for may show itself once in many runs. */
const proofs = { ...tests('proof'), again: false };

/**
 * One stage after the other. The lanes of a stage run at the same time, for two cores: what stands in one
 * lane runs in turn, so that both are busy to the end.
 * The build stands before the lint: none of its files may change while types are checked.
 * Proofs wait for strikes, leases and rest for two thirds of their time, and nothing may take from them what
 * they need: unit tests, which only compute, stand beside them and take what nobody else wants.
 * All other tests start servers and are one run: a core that waited for the last file of one kind would have
 * nothing to do.
 */
const stages = [
  [
    [
      { name: 'generate', command: nx('run-many', '-t', 'generate') },
      { name: 'build', command: ['node', '--import', 'tsx', 'tools/checks/build.ts'] },
    ],
    [
      { name: 'format', command: ['oxfmt', '--check', '.'] },
      { name: 'lock file', command: ['node', 'tools/checks/lock-file.mjs'] },
    ],
  ],
  [
    // Through Nx, which draws the graph that the rule about module boundaries reads.
    [{ name: 'lint and types', command: nx('run', 'tools:lint-everything') }],
    [{ name: 'dead code', command: ['knip'] }],
    // Waits for the network, if it has to fetch a server.
    [{ name: 'programs', command: ['node', '--import', 'tsx', 'tools/checks/programs.ts'] }],
  ],
  [
    [{ name: 'short proofs', ...proofs }],
    [{ name: 'unit tests', ...tests('unit'), command: ['nice', '-n', '19', 'node', ...ownGarbage, jestProgram] }],
  ],
  [[{ name: 'tests with servers', ...tests('servers') }]],
];

const startedAt = Date.now();
const results = [];
for (const lanes of stages) await Promise.all(lanes.map(runLane));

console.log('\nSummary');
for (const { name, ok, seconds } of results)
  console.log(`  ${ok ? 'passed' : 'FAILED'}  ${name.padEnd(22)} ${seconds.toFixed(1).padStart(7)} s`);
const all = (field) => results.flatMap((result) => result[field]);
const total = (field) => results.reduce((sum, result) => sum + result[field], 0);
console.log(`  total ${((Date.now() - startedAt) / 1000).toFixed(1)} s`);
const tell = (title, tests) => tests.length > 0 && console.log(['', title, ...failureLines(tests), ''].join('\n'));
tell(
  'Unsteady: failed, and passed when run once more. A fault of the test or of the product; mend it',
  all('unsteady'),
);
tell('Failed', all('failures'));
console.log(`${total('passed')} passed, ${total('failed')} failed`);
process.exit(total('failed') ? 1 : 0);

async function runLane(sections) {
  for (const section of sections) results.push(await runSection(section));
}
