import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { parse } from 'yaml';
import { z } from 'zod';
import { program } from '../cli/program';
import { operateBlock } from '../prove/compose/operate-docs';
import { commandsOf, readmeBlocks } from './readme-blocks';
import { workspaceRoot } from '../stack/workspace-root';

const documents = [
  'README.md',
  'CHANGELOG.md',
  ...readdirSync(join(workspaceRoot, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];
const silent = { out: () => undefined, error: () => undefined };
const nobody = () => Promise.reject(new Error('asks nobody'));
let root: Command;

beforeAll(async () => {
  root = await program(
    {
      environment: {},
      actor: 'cli:spec',
      gateway: { call: nobody, askEdge: nobody, hear: nobody, instances: nobody },
      output: { show: () => undefined },
    },
    silent,
  );
});

/** The command lines of the CLI in a text: behind its name, Compose's container, or the pod's program. */
function commandLines(text: string): string[] {
  const starts =
    /(?:`|^ *)(?:tollgate|docker compose run --rm(?: -T)? cli|.*-- node main\.js|npm run tollgate --) ([a-z][^`\n]*)/gm;
  return [...text.matchAll(starts)].map(([, line = '']) => line.replace(/ [|<>] .*$| &&.*$/, ''));
}

/** What is wrong with a command line, as far as its names go; null: nothing. */
function wrongName(line: string): string | null {
  const words = line.split(/\s+/).filter(Boolean);
  let command: Command = root;
  for (const word of words) {
    const next = command.commands.find((one) => word.split(/\\?\|/).includes(one.name()));
    if (!next) break;
    command = next;
  }
  // A group may be named alone, as a whole.
  if (command === root || (command.commands.length > 0 && words.length > 1)) return `no such command: ${line}`;
  const options = ['--help', '--version', ...command.options.map(({ long }) => long)];
  const wrong = words
    .map((word) => word.split('=')[0] ?? '')
    .filter((word) => /^--\w/.test(word) && !options.includes(word));
  return wrong.length > 0 ? `no such option: ${wrong.join()} in ${line}` : null;
}

it.each(documents)('%s names commands and options of the CLI that there are', (document) => {
  const lines = commandLines(readFileSync(join(workspaceRoot, document), 'utf8'));
  if (document === 'docs/operate.md') expect(lines.length).toBeGreaterThan(40);
  expect(lines.flatMap((line) => wrongName(line) ?? [])).toEqual([]);
});

/** The words that lead to each command of a group, or at the root. */
const leaves = (command: Command): string[][] =>
  command.commands.flatMap((child) =>
    child.commands.length === 0 ? [[child.name()]] : leaves(child).map((rest) => [child.name(), ...rest]),
  );

it('the README of the CLI has every command, and how it is used from another machine', () => {
  const text = readFileSync(join(workspaceRoot, 'tools/cli/README.md'), 'utf8');
  const named = new Set(
    [...text.matchAll(/`([a-z][^`]*)`/g)].flatMap(([, line = '']) => {
      const [first = '', second = ''] = line.split(' ');
      return [first, ...second.split('\\|').map((name) => `${first} ${name}`)];
    }),
  );
  expect(
    leaves(root)
      .map((words) => words.join(' '))
      .filter((words) => !named.has(words)),
  ).toEqual([]);
  for (const variable of ['TOLLGATE_URL', 'TOLLGATE_TOKEN']) expect(text).toContain(variable);
});

const files = [
  'docker-compose.yml',
  ...readdirSync(join(workspaceRoot, 'deploy/compose')).map((name) => `deploy/compose/${name}`),
];
const composed = new Set(
  files.flatMap((file) => {
    const { services } = z
      .looseObject({ services: z.record(z.string(), z.unknown()) })
      .parse(parse(readFileSync(join(workspaceRoot, file), 'utf8')));
    return Object.keys(services);
  }),
);

it.each(documents)('%s names services of Compose that there are', (document) => {
  const text = readFileSync(join(workspaceRoot, document), 'utf8');
  const lines = [
    ...text.matchAll(/docker compose (?:exec(?: -T)?|logs|stop|start|restart|kill -s HUP|rm -s -f) ([^`\n|>]*)/g),
  ];
  if (document === 'docs/operate.md') expect(lines.length).toBeGreaterThan(20);
  for (const [line, words = ''] of lines) {
    const [first = '', ...others] = words.split(/\s+/).filter((word) => word !== '' && !word.startsWith('-'));
    const named = line.includes(' exec ') ? [first] : [first, ...others];
    // What a reader fills in stands in angle brackets.
    expect([line, named.filter((name) => !composed.has(name) && !/^<.*>?$|^$/.test(name))]).toEqual([line, []]);
  }
});

it('docs/operate.md removes the volume of the installation that Compose means, whose name may stand in .env', () => {
  const docker = `docker() { case "$*" in 'compose config') printf 'name: mine\\nservices:\\n' ;; *) echo "$@" ;; esac; }`;
  const { stdout } = spawnSync('sh', ['-ec', `${docker}\n${operateBlock('volume')}`], { encoding: 'utf8' });
  expect(stdout).toBe('compose down\nvolume rm mine_postgres-data\n');
});

const hasKubectl = spawnSync('kubectl', ['version', '--client']).status === 0;

(hasKubectl ? it : it.skip)('docs/operate.md makes a namespace and Secrets by lines that kubectl takes', () => {
  const lines = readmeBlocks(readFileSync(join(workspaceRoot, 'docs/operate.md'), 'utf8'))
    .flatMap(commandsOf)
    .filter((line) => /^kubectl .*\bcreate (namespace|secret generic) /.test(line));
  expect(lines.length).toBeGreaterThan(10);
  const script = ['set -e', ...lines.map((line) => `${line} --dry-run=client -o name`)].join('\n');
  const { stdout, stderr } = spawnSync('sh', ['-c', script], { encoding: 'utf8' });
  expect([stdout.trim().split('\n').length, stderr]).toEqual([lines.length, '']);
});
