import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const program = createRequire(__filename).resolve('jest/bin/jest');
const beside = (name: string) => pathToFileURL(join(__dirname, name)).href;
let folder: string;

beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'tollgate-section-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a command as a section of `npm test`, and tells what is said of it in the end. */
function endOf(command: readonly string[]): { ok: boolean; passed: number; failed: number; lines: string[] } {
  const script = `
    import { runSection } from '${beside('section.mjs')}';
    import { failureLines } from '${beside('failed-tests.cjs')}';
    const { ok, passed, failed, failures } = await runSection(${JSON.stringify({ name: 'a section', command })});
    console.log('\\n' + JSON.stringify({ ok, passed, failed, lines: failureLines(failures) }));`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: folder,
    encoding: 'utf8',
  });
  return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as ReturnType<typeof endOf>;
}

it('names each failed test with its file and the beginning of what was wrong', () => {
  const config = { reporters: ['default', join(__dirname, 'failed-tests.cjs')], transform: {}, rootDir: folder };
  writeFileSync(join(folder, 'jest.config.json'), JSON.stringify(config));
  writeFileSync(
    join(folder, 'gate.test.js'),
    `describe('a gate', () => {
       it('opens', () => undefined);
       it('closes', () => { throw new Error('It is ${'x'.repeat(500)}.' + '\\nno'.repeat(50)); });
     });`,
  );
  writeFileSync(join(folder, 'toll.test.js'), 'const');
  const { lines, ...counts } = endOf([process.execPath, program, '--config', 'jest.config.json']);
  expect(counts).toEqual({ ok: false, passed: 1, failed: 1 });
  const names = lines.filter((line) => /^ {2}\S/.test(line)).sort();
  expect(names).toEqual(['  gate.test.js: a gate closes', '  toll.test.js: does not run']);
  const wrong = lines.slice(lines.indexOf('  gate.test.js: a gate closes') + 1).slice(0, 15);
  expect(wrong[0]).toMatch(/^ {6}Error: It is x{150,}$/);
  expect(wrong.slice(1)).toEqual(wrong.slice(1).map(() => '      no'));
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(210);
});

it('tells the end of what a command said that failed without a test', () => {
  const script = 'for (let line = 1; line <= 40; line++) console.log("line " + line); process.exitCode = 1;';
  const { lines, ...counts } = endOf([process.execPath, '--eval', script]);
  expect(counts).toEqual({ ok: false, passed: 0, failed: 1 });
  expect(lines).toEqual([
    '  a section: its last lines',
    ...Array.from({ length: 15 }, (_, at) => `      line ${26 + at}`),
  ]);
});

it('has nothing to tell of what passed', () => {
  expect(endOf([process.execPath, '--version'])).toEqual({ ok: true, passed: 1, failed: 0, lines: [] });
});
