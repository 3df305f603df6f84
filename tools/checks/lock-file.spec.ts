import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { workspaceRoot } from '../stack/workspace-root';

const integrity = `sha512-${'A'.repeat(86)}==`;
const good = { version: '1.0.0', integrity };

/** What the check says of a lock file with these packages. */
function check(packages: Record<string, object>, allowScripts: Record<string, boolean> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-lock-'));
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ packages: { '': {}, ...packages } }));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ allowScripts }));
  const { status, stderr } = spawnSync(process.execPath, [join(workspaceRoot, 'tools/checks/lock-file.mjs'), folder], {
    encoding: 'utf8',
  });
  rmSync(folder, { recursive: true });
  return status === 0 ? 'good' : stderr;
}

it.each([
  ['nothing wrong', { 'node_modules/a': good }, 'good'],
  ['a package without its digest', { 'node_modules/a': { version: '1.0.0' } }, 'a has no SHA-512 digest'],
  ['a weak digest', { 'node_modules/a': { integrity: 'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=' } }, 'no SHA-512 digest'],
  ['a package of one registry', { 'node_modules/a': { ...good, resolved: 'https://r.example/a.tgz' } }, 'bound to one'],
  ['an unknown script', { 'node_modules/b/node_modules/@c/d': { ...good, hasInstallScript: true } }, 'runs a script'],
  ['a missing platform', { 'node_modules/a': { ...good, optionalDependencies: { b: '1' } } }, 'names b, which'],
])('finds %s', (_what, packages, words) => {
  expect(check(packages)).toContain(words);
});

it('lets scripts be that somebody looked at, whether they may run or not', () => {
  const packages = { 'node_modules/a': { ...good, hasInstallScript: true } };
  expect([check(packages, { a: true }), check(packages, { a: false })]).toEqual(['good', 'good']);
  expect(check({}, { gone: true })).toContain('gone, which is not installed');
});
