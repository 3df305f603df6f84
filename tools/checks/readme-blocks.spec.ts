import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseTollgateFile } from '@tollgate/configuration';
import { workspaceRoot } from '../stack/workspace-root';
import { checkKinds, commandsOf, readmeBlocks } from './readme-blocks';

const blocks = readmeBlocks(readFileSync(join(workspaceRoot, 'README.md'), 'utf8'));
const commandsFor = (kind: string) => blocks.filter(({ check }) => check === kind).flatMap(commandsOf);

it('reads blocks, their checks, and commands over several lines', () => {
  const [first, second] = readmeBlocks(
    '<!-- check: run -->\n\n```sh\n# one\na \\\n  b\nc\n```\n\ntext\n\n```js\nd\n```\n',
  );
  expect(first).toMatchObject({ language: 'sh', check: 'run', line: 3 });
  expect(first && commandsOf(first)).toEqual(['a b', 'c']);
  expect(second).toMatchObject({ language: 'js', check: null });
});

it('has a check for every block of the README that a reader can copy', () => {
  const copied = blocks.filter(({ language }) => language !== 'mermaid');
  expect(copied.length).toBeGreaterThan(5);
  for (const { check, line } of copied) expect([line, checkKinds.some((kind) => kind === check)]).toEqual([line, true]);
});

it('names scripts only that exist', () => {
  const { scripts } = JSON.parse(readFileSync(join(workspaceRoot, 'package.json'), 'utf8')) as { scripts: object };
  for (const command of [...commandsFor('ci'), ...commandsFor('start')]) {
    const [, name = ''] = /^npm (?:run )?([\w:]+)(?: -- .+)?$/.exec(command) ?? [];
    expect(Object.keys(scripts)).toContain(name);
  }
});

it('says how to get each package that a snippet imports', () => {
  const readme = readFileSync(join(workspaceRoot, 'README.md'), 'utf8');
  const imported = blocks.flatMap(({ text }) =>
    Array.from(text.matchAll(/^import .* from '(.+)';$/gm), ([, name]) => name),
  );
  expect(imported).not.toHaveLength(0);
  for (const name of imported) expect(readme).toContain(`\`npm install ${name}\``);
});

it('shows a configuration file that the services accept', () => {
  const shown = blocks.filter(({ check }) => check === 'config');
  expect(shown).not.toHaveLength(0);
  for (const { text } of shown) expect(() => parseTollgateFile('README.md', text)).not.toThrow();
});
