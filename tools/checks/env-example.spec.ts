import { builtInProviders } from '@tollgate/providers';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '../stack/workspace-root';
import { serviceVariables } from '@tollgate/configuration';
import { launcherVariables } from '../stack/launcher-variables';

const read = (path: string) => readFileSync(join(workspaceRoot, path), 'utf8');

const services = Object.entries(serviceVariables);
const example = read('.env.example').split('\n');
const shown = new Map<string, string>();
for (const [index, line] of example.entries()) {
  const [, name] = /^#? ?([A-Z][A-Z0-9_]+)=/.exec(line) ?? [];
  if (name) shown.set(name, example[index - 1] ?? '');
}

it.each(services)('has every variable that %s reads, in .env.example and in its README', (app, { shape }) => {
  const variables = Object.keys(shape);
  expect(variables).toContain('INTERNAL_PORT');
  const readme = read(`apps/${app}/README.md`);
  expect(variables.filter((name) => !shown.has(name))).toEqual([]);
  expect(variables.filter((name) => !readme.includes(name))).toEqual([]);
});

it('has every variable of the launcher', () => {
  expect(Object.keys(launcherVariables.shape).filter((name) => !shown.has(name))).toEqual([]);
});

/** What `authentication: aws` reads beside the key. */
const awsVariables = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'];
const providerVariables = [
  ...builtInProviders.flatMap(({ apiKeyEnv, bills, placeholders }) => [
    ...apiKeyEnv,
    ...(bills?.keyEnv ?? []),
    ...Object.values(placeholders).flatMap(({ env }) => env),
  ]),
  ...awsVariables,
];

it('has every variable that a built-in provider may need', () => {
  expect(providerVariables.filter((name) => !shown.has(name))).toEqual([]);
});

it('says a sentence about each variable, and names none that nobody reads', () => {
  const known = new Set([
    ...services.flatMap(([, { shape }]) => Object.keys(shape)),
    ...Object.keys(launcherVariables.shape),
    ...providerVariables,
    ...[...read('docker-compose.yml').matchAll(/\$\{(\w+)/g)].map(([, name]) => name ?? ''),
    ...['NATS_SERVER_BIN', 'VALKEY_SERVER_BIN', 'PGBOUNCER_BIN'],
  ]);
  for (const [name, above] of shown)
    expect([name, known.has(name), /^# .{10,}\.$/.test(above)]).toEqual([name, true, true]);
});
