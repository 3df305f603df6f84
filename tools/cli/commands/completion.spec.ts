import { accountRole, alertKind } from '@tollgate/contracts/accounts';
import { execFileSync } from 'node:child_process';
import { ran } from '../ran.fixture';

/** As bash splits a word by its COMP_WORDBREAKS: these signs are words of their own. */
const split = (word: string): string[] => (word === '' ? [word] : word.split(/([@:=]+)/).filter((part) => part !== ''));

/** What bash offers behind these words, the last of which is being typed. */
async function offered(...words: string[]): Promise<string[]> {
  const { out } = await ran('completion bash', []);
  const parts = ['tollgate', ...words.flatMap(split)];
  const typed = parts.map((word) => `'${word}'`).join(' ');
  const script = `${out}COMP_WORDS=(${typed}); COMP_CWORD=${parts.length - 1}; _tollgate; echo "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['-c', script], { encoding: 'utf8' }).trim().split(' ');
}

it('offers commands and options as they are typed, in bash', async () => {
  expect(await offered('ke')).toEqual(['keys']);
  expect(await offered('keys', 're')).toEqual(['revoke']);
  expect(await offered('keys', 'create', '--na')).toEqual(['--name']);
  expect(await offered('keys', 'create', '--name', 'x', '--ex')).toEqual(['--expires']);
  expect(await offered('guardrails', 'try', '--mo')).toEqual(['--model']);
  expect(await offered('nothing', '')).toEqual(['']);
});

it('offers the values of options and arguments that have a fixed set, in bash', async () => {
  expect(await offered('usage', 'export', '--format', '')).toEqual(['csv', 'focus', 'json']);
  expect(await offered('usage', 'export', '--from', '2026-11-01', '--format', 'f')).toEqual(['focus']);
  expect(await offered('usage', 'export', '--format', '=', 'j')).toEqual(['json']);
  expect(await offered('usage', 'export', '--format', '=')).toEqual(['csv', 'focus', 'json']);
  expect(await offered('completion', 'z')).toEqual(['zsh']);
  // What another option's value is nobody knows: no option is offered in its place.
  expect(await offered('usage', 'export', '--from', '')).toEqual(['']);
  expect(await offered('usage', 'export', '--format', 'csv', '--fr')).toEqual(['--from']);
});

it('offers values wherever arguments stand before them, and those of an argument in its own place, in bash', async () => {
  const [roles, options] = [accountRole.options, ['--json', '--help']];
  expect(await offered('people', 'invite', 'acc', 'a@b.example', '--role', '')).toEqual(roles);
  expect(await offered('people', 'invite', '--role', 'owner', 'acc', 'a@b.example', '--b')).toEqual(['--by']);
  expect(await offered('people', 'role', '')).toEqual(options);
  expect(await offered('people', 'role', 'acc', 'id', '')).toEqual([...roles, ...options]);
  expect(await offered('people', 'role', '--json', 'acc', 'id', 'ow')).toEqual(['owner']);
  expect(await offered('people', 'role', 'acc', 'id', 'owner', '')).toEqual(options);
  expect(await offered('own-keys', 'fall-back', 'on')).toEqual(['']);
  expect(await offered('own-keys', 'fall-back', 'acc', 'groq', 'o')).toEqual(['on', 'off']);
  expect(await offered('import', 'portkey', 'a.json', 'b.json', 'c.json', '--mod')).toEqual(['--model']);
  expect(await offered('webhooks', 'create', 'ops', 'https://x.example', '--kinds', '')).toEqual(alertKind.options);
  // An account may be named by its e-mail address, and what is typed behind its @ is none of the values.
  expect(await offered('people', 'role', 'a@b.example', 'id', '')).toEqual([...roles, ...options]);
  expect(await offered('people', 'role', 'a@b.example', 'c@ow')).toEqual(['']);
  expect(await offered('people', 'role', 'a@b.example', 'id@ow')).toEqual(['']);
  expect(await offered('people', 'role', 'acc', 'id', 'x@ow')).toEqual(['']);
  // An option of many values takes another one; an account that is called like a command is none.
  const kinds = ['webhooks', 'create', 'ops', 'https://x.example', '--kinds', 'budget.threshold'];
  expect(await offered(...kinds, 'provider.key')).toEqual(['provider.key_refused']);
  expect(await offered('people', 'role', 'list', 'id', 'ow')).toEqual(['owner']);
});

it('is for zsh the same, by its way to take what is for bash', async () => {
  const [bash, zsh] = [await ran('completion bash', []), await ran('completion zsh', [])];
  expect(zsh.out).toBe(`autoload -U +X bashcompinit && bashcompinit\n${bash.out}`);
});

it('is for fish a function of the words before', async () => {
  const { out } = await ran('completion fish', []);
  expect(out).toMatch(/^function __tollgate_words\n/);
  expect(out).toMatch(/ {6}case ' 0'\n {8}printf '%s\\n' .*\bkeys .*--help\n/);
  expect(out).toMatch(/ {6}case ' keys create 0'\n {8}printf '%s\\n' .*--name .*--help\n/);
  expect(out).toMatch(/ {6}case ' usage export --format'\n {8}printf '%s\\n' csv focus json\n/);
  expect(out).toMatch(/ {6}case ' people role 0'\n {8}printf '%s\\n' --json --help\n/);
  expect(out).toMatch(/ {6}case ' people role 2'\n {8}printf '%s\\n' owner .*--help\n/);
  expect(out).toMatch(/\nend\ncomplete -c tollgate -f -a '\(__tollgate_words\)'\n$/);
});
