// `npm test`: everything a change must pass, in one command. The last line says how many tests passed and failed.
import { fileURLToPath } from 'node:url';
import { runSection } from './checks/section.mjs';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
process.env.PATH = `node_modules/.bin:${process.env.PATH}`;

const nx = (target, style = 'static', ...options) => [
  'nx',
  'run-many',
  '-t',
  target,
  `--output-style=${style}`,
  ...options,
];
const jest = { e2e: ['jest', '-c', 'tools/jest.config.cjs', '--passWithNoTests'] };

const sections = [
  { name: 'lock file', command: ['node', 'tools/checks/lock-file.mjs'] },
  { name: 'format', command: ['prettier', '--check', '--log-level=warn', '.'] },
  { name: 'generate', command: nx('generate') },
  { name: 'lint', command: nx('lint') },
  { name: 'types', command: nx('typecheck') },
  { name: 'unit tests', command: nx('test') },
  { name: 'integration tests', command: nx('integration', 'stream-without-prefixes', '--parallel=1') },
  { name: 'dead code', command: ['knip'] },
  { name: 'build', command: nx('build') },
  { name: 'end-to-end tests', command: jest.e2e, environment: { TEST_KIND: 'e2e' } },
];

const results = [];
for (const section of sections) results.push(await runSection(section));

console.log('\nSummary');
for (const { name, ok, seconds } of results)
  console.log(`  ${ok ? 'passed' : 'FAILED'}  ${name.padEnd(18)} ${seconds.toFixed(1).padStart(7)} s`);
const total = (field) => results.reduce((sum, result) => sum + result[field], 0);
console.log(`  total ${total('seconds').toFixed(1)} s`);
console.log(`${total('passed')} passed, ${total('failed')} failed`);
process.exit(total('failed') ? 1 : 0);
