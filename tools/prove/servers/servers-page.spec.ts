import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '../../stack/workspace-root';
import type { OwnServer } from './own-server';
import type { Cell, LineName } from './ask-questions';
import type { Row } from './prove-servers';
import { chosenServers, ownServers } from './servers';
import { tableOf } from './servers-page';

const [llama, litellm] = ownServers as [OwnServer, OwnServer];
const because = (named: string): Cell => ({ problems: ['500 directly, 400 through us: no'], named });
const row = (server: OwnServer, cells: Partial<Record<LineName, Cell>>): Row => ({
  server,
  absent: null,
  cells: new Map(Object.entries(cells) as [LineName, Cell][]),
});
const equal: Cell = { problems: [], named: null };

it('has a line for each question, and says why what differs may', () => {
  const played = row(llama, {
    plain: equal,
    picture: because('it is the input'),
    tools: { ...equal, problems: ['no'] },
  });
  const table = tableOf([played, { ...row(litellm, {}), absent: 'no network' }], '');
  expect(table).toContain('| played | 20');
  expect(table).toContain('| not played yet |');
  expect(table).toContain('| plain | equal | - |');
  expect(table).toContain('| picture | differs (1) | - |');
  expect(table).toContain('| tools | DIFFERS | - |');
  expect(table).toContain('1. it is the input.');
});

it('keeps what was not played or is absent, with its reasons, unless it is of another version', () => {
  const both = tableOf([row(llama, { picture: because('one') }), row(litellm, { picture: because('two') })], '');
  const after = tableOf([row(litellm, { picture: because('three'), plain: equal })], both);
  expect(after).toContain(`\`${llama.packages[0]}\` |`);
  expect(after).toContain('| picture | differs (1) | differs (2) |');
  expect(after).toContain('| plain | - | equal |');
  expect(after).toMatch(/1\. one\.\n2\. three\.$/);
  expect(tableOf([], both)).toBe(both);
  expect(tableOf([{ ...row(llama, {}), absent: 'no network' }], both)).toBe(both);
  expect(tableOf([], both.replace(String(llama.packages[0]), 'xllamacpp==1'))).toContain('| played | not played yet |');
});

it('plays what a server passes on to before it, and what costs much only where it is named', () => {
  const ids = (only: string, and?: string) => chosenServers(only, and).map(({ id }) => id);
  expect(ids('litellm')).toEqual(['llama-cpp', 'litellm']);
  expect(ids('llama-cpp')).toEqual(['llama-cpp']);
  expect(ids('')).toEqual(['llama-cpp', 'litellm', 'transformers']);
  expect(ids('', 'vllm,ollama')).toEqual(ownServers.map(({ id }) => id));
  expect(ids('vllm', 'ollama')).toEqual(['vllm', 'ollama']);
  expect(() => chosenServers('litellm,other')).toThrow('No server is called other.');
});

it('is led to by an example in the README that needs no key, and does not stand at our own port', () => {
  const readme = readFileSync(join(workspaceRoot, 'README.md'), 'utf8');
  const [, provider = ''] = /providers:\n( {2}- id: home[^]*?)\nmodels:/.exec(readme) ?? [];
  expect(provider).toMatch(/baseUrl: http:\/\/127\.0\.0\.1:(?!8080)\d+/);
  expect(provider).not.toContain('apiKeyEnv');
});
