import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseTollgateFile } from '@tollgate/configuration';
import { parseAllDocuments } from 'yaml';
import { endpointList } from '../cli/imports/openai-compatible';
import { readmeBlocks } from './readme-blocks';
import { workspaceRoot } from '../stack/workspace-root';

const documents = readdirSync(join(workspaceRoot, 'docs'))
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/${name}`);
const blocks = documents.flatMap((document) =>
  readmeBlocks(readFileSync(join(workspaceRoot, document), 'utf8')).map((block) => ({ ...block, document })),
);
const inLanguage = (language: string) =>
  blocks
    .filter((block) => block.language === language)
    .map((block) => ({ ...block, place: `${block.document}:${block.line}` }));

it('knows every language that a reader can copy from', () =>
  expect([...new Set(blocks.map(({ language }) => language))].sort()).toEqual(['conf', 'ini', 'sh', 'yaml']));

it('has shell commands that a shell can read', () => {
  const commands = inLanguage('sh');
  expect(commands.length).toBeGreaterThan(40);
  const wrong = commands.flatMap(({ place, text }) => {
    const { status, stderr } = spawnSync('sh', ['-n'], { input: text, encoding: 'utf8' });
    return status === 0 ? [] : [`${place}: ${stderr}`];
  });
  expect(wrong).toEqual([]);
});

it.each(inLanguage('yaml'))('has settings that are taken, at $place', ({ text }) => {
  const [document, ...others] = parseAllDocuments(text);
  expect([document?.errors, others]).toEqual([[], []]);
  const value: unknown = document?.toJS();
  if (Array.isArray(value)) expect(endpointList.schema.safeParse({ endpoints: value }).error).toBeUndefined();
  else if (!/^ *(?:services|apiVersion):/m.test(text)) expect(() => parseTollgateFile('it', text)).not.toThrow();
});
