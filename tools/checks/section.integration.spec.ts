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

/** Runs the tests of the folder. */
const runTests = [process.execPath, program, '--config', 'jest.config.json'];

/** Puts a test file for each of these into the folder. */
function write(files: Record<string, string>): void {
  const config = { reporters: ['default', join(__dirname, 'failed-tests.cjs')], transform: {}, rootDir: folder };
  writeFileSync(join(folder, 'jest.config.json'), JSON.stringify(config));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, `${name}.test.js`), text);
}

interface End {
  ok: boolean;
  passed: number;
  failed: number;
  lines: string[];
  unsteady: string[];
}

/** Runs a command as a section of `npm test`, and tells what is said of it in the end. */
function endOf(command: readonly string[], hasTests = false, more: { silenceMs?: number } = {}): End {
  const script = `
    import { runSection } from '${beside('section.mjs')}';
    import { failureLines } from '${beside('failed-tests.cjs')}';
    const { ok, passed, failed, failures, unsteady } =
      await runSection(${JSON.stringify({ name: 'a section', command, hasTests, again: hasTests, ...more })});
    console.log('\\n' + JSON.stringify({
      ok, passed, failed, lines: failureLines(failures), unsteady: unsteady.map(({ name }) => name),
    }));`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: folder,
    encoding: 'utf8',
  });
  return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as End;
}

it('names each failed test with its file and the beginning of what was wrong', () => {
  write({
    gate: `describe('a gate', () => {
       it('opens', () => undefined);
       it('closes', () => { throw new Error('It is ${'x'.repeat(500)}.' + '\\nno'.repeat(50)); });
     });`,
    toll: 'const',
  });
  const { lines, ...counts } = endOf(runTests);
  expect(counts).toEqual({ ok: false, passed: 1, failed: 1, unsteady: [] });
  const names = lines.filter((line) => /^ {2}\S/.test(line)).sort();
  expect(names).toEqual(['  gate.test.js: a gate closes', '  toll.test.js: does not run']);
  const wrong = lines.slice(lines.indexOf('  gate.test.js: a gate closes') + 1).slice(0, 15);
  expect(wrong[0]).toMatch(/^ {6}Error: It is x{150,}$/);
  expect(wrong.slice(1)).toEqual(wrong.slice(1).map(() => '      no'));
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(210);
});

describe('tests that fail', () => {
  const passing = `it('stays', () => undefined);`;
  const broken = `it('breaks', () => { throw new Error('It broke.'); });`;
  /** Fails the first time that it is run in this folder. */
  const onceBroken = (name: string) => `
    const { existsSync, writeFileSync } = require('node:fs');
    it('${name} is late', () => {
      if (existsSync('${name}')) return;
      writeFileSync('${name}', '');
      throw new Error('It was late.');
    });
    it('${name} is there', () => undefined);`;

  it('are run once more, and named as unsteady where they pass then', () => {
    write({ stays: passing, one: onceBroken('one'), two: onceBroken('two') });
    const { unsteady, ...end } = endOf(runTests, true);
    expect(end).toEqual({ ok: true, passed: 5, failed: 0, lines: [] });
    expect(unsteady.sort()).toEqual(['one is late', 'two is late']);
  });

  it('fail the section where one of them fails once more', () => {
    write({ stays: passing, one: onceBroken('one'), broken });
    expect(endOf(runTests, true)).toMatchObject({ ok: false, passed: 2, failed: 2, unsteady: [] });
  });

  it('fail it at once where their run was ended, which left others unrun', () => {
    const failed = JSON.stringify({ path: 'one.test.js', name: 'one is late', message: 'It was late.' });
    const ended = `
      if (process.argv.length > 2) console.log('Tests: 1 passed, 1 total');
      else {
        require('node:fs').writeFileSync(process.env.FAILED_TESTS_FILE, ${JSON.stringify(failed)});
        process.kill(process.pid, 'SIGKILL');
      }`;
    writeFileSync(join(folder, 'ended.cjs'), ended);
    expect(endOf([process.execPath, 'ended.cjs'], true)).toMatchObject({ ok: false, failed: 1, unsteady: [] });
  });

  it('fail it at once where there are more than two files of them', () => {
    write({ stays: passing, one: onceBroken('one'), two: onceBroken('two'), three: onceBroken('three') });
    expect(endOf(runTests, true)).toMatchObject({ ok: false, passed: 4, failed: 3, unsteady: [] });
  });
});

it('tells the end of what a command said that failed without a test', () => {
  const script = 'for (let line = 1; line <= 40; line++) console.log("line " + line); process.exitCode = 1;';
  const { lines, ...counts } = endOf([process.execPath, '--eval', script]);
  expect(counts).toEqual({ ok: false, passed: 0, failed: 1, unsteady: [] });
  expect(lines).toEqual([
    '  a section: its last lines',
    ...Array.from({ length: 15 }, (_, at) => `      line ${26 + at}`),
  ]);
});

it('ends a command that says nothing for too long, and counts it as one failure', () => {
  const hangs = [process.execPath, '--eval', 'console.log("begun"); setInterval(() => undefined, 1_000);'];
  expect(endOf(hangs, false, { silenceMs: 2_000 })).toMatchObject({ ok: false, passed: 0, failed: 1 });
});

it('hears of each test that is through where no file has ended for a while', () => {
  write({
    gate: `it('opens', () => undefined); it('closes', () => { throw new Error('no'); });`,
    toll: `it('pays', () => undefined);`,
  });
  const reporters = [[join(__dirname, 'progress.cjs'), { quietMs: 0 }]];
  const config = { reporters, transform: {}, rootDir: folder };
  writeFileSync(join(folder, 'jest.config.json'), JSON.stringify(config));
  const [node = '', ...others] = runTests;
  const { stdout } = spawnSync(node, [...others, '--maxWorkers=2'], { cwd: folder, encoding: 'utf8' });
  const through = (name: string) => `… ${name.replace(' ', '.test.js is through with: ')}`;
  expect(stdout.trimEnd().split('\n').sort()).toEqual(['gate closes', 'gate opens', 'toll pays'].map(through));
});

it('has nothing to tell of what passed', () => {
  expect(endOf([process.execPath, '--version'])).toEqual({ ok: true, passed: 1, failed: 0, lines: [], unsteady: [] });
});
