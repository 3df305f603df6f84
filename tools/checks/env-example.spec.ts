import { natsCredentials } from '@tollgate/configuration';
import { builtInProviders } from '@tollgate/providers';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '../stack/workspace-root';

const read = (path: string) => readFileSync(join(workspaceRoot, path), 'utf8');

/** The variables of the schemas in a source file: names in capitals that are keys. Only files that parse the environment are asked. */
function variablesIn(source: string): string[] {
  if (!source.includes('readEnvironment(')) return [];
  const own = [...source.matchAll(/^\s+([A-Z][A-Z0-9_]+):/gm)].flatMap(([, name]) => (name ? [name] : []));
  return source.includes('...natsCredentials') ? [...own, ...Object.keys(natsCredentials)] : own;
}

function variablesBelow(folder: string): string[] {
  const files = readdirSync(join(workspaceRoot, folder), { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts') && !file.includes('generated'))
    .flatMap((file) => variablesIn(read(join(folder, file))));
}

/** The services: the dashboard runs in browsers, which have no environment. */
const apps = readdirSync(join(workspaceRoot, 'apps')).filter((app) =>
  existsSync(join(workspaceRoot, 'apps', app, 'src', 'main.ts')),
);
const example = read('.env.example').split('\n');
const shown = new Map<string, string>();
for (const [index, line] of example.entries()) {
  const [, name] = /^#? ?([A-Z][A-Z0-9_]+)=/.exec(line) ?? [];
  if (name) shown.set(name, example[index - 1] ?? '');
}

it.each(apps)('has every variable that %s reads, in .env.example and in its README', (app) => {
  const variables = variablesBelow(`apps/${app}/src`);
  expect(variables).toContain('INTERNAL_PORT');
  const readme = read(`apps/${app}/README.md`);
  expect(variables.filter((name) => !shown.has(name))).toEqual([]);
  expect(variables.filter((name) => !readme.includes(name))).toEqual([]);
});

it('has every variable of the launcher', () => {
  expect(variablesBelow('tools/stack').filter((name) => !shown.has(name))).toEqual([]);
});

/** What `authentication: aws` reads beside the key. */
const awsVariables = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'];
const providerVariables = [
  ...builtInProviders.flatMap(({ apiKeyEnv, placeholders }) => [
    ...apiKeyEnv,
    ...Object.values(placeholders).flatMap(({ env }) => env),
  ]),
  ...awsVariables,
];

it('has every variable that a built-in provider may need', () => {
  expect(providerVariables.filter((name) => !shown.has(name))).toEqual([]);
});

it('says a sentence about each variable, and names none that nobody reads', () => {
  const known = new Set([
    ...apps.flatMap((app) => variablesBelow(`apps/${app}/src`)),
    ...variablesBelow('tools/stack'),
    ...providerVariables,
    ...[...read('docker-compose.yml').matchAll(/\$\{(\w+)/g)].map(([, name]) => name ?? ''),
    ...['NATS_SERVER_BIN', 'VALKEY_SERVER_BIN'],
  ]);
  for (const [name, above] of shown)
    expect([name, known.has(name), /^# .{10,}\.$/.test(above)]).toEqual([name, true, true]);
});
