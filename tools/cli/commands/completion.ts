import { Argument, Command } from 'commander';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Write } from '../program';

/**
 * `completion`: what a shell has to be told, to complete every command and option. Shells ask for it whenever
 * they start: beside a program that is built it stands as a file (tools/build.mjs), as loading every command
 * takes time.
 */
export function completion(everything: () => Promise<Command>, { out }: Write): Command {
  return new Command('completion')
    .description('print what makes a shell complete commands and options: source <(tollgate completion bash)')
    .addArgument(new Argument('<shell>').choices(Object.keys(scripts)))
    .action(async (shell: keyof typeof scripts) => {
      const file = join(__dirname, `completion.${shell}`);
      out(existsSync(file) ? readFileSync(file, 'utf8') : scripts[shell](await everything()));
    });
}

const scripts = {
  bash: bashScriptOf,
  /** It has a way to take bash's. https://zsh.sourceforge.io/Doc/Release/Completion-System.html */
  zsh: (root: Command) => `autoload -U +X bashcompinit && bashcompinit\n${bashScriptOf(root)}`,
  fish: fishScriptOf,
};

function bashScriptOf(root: Command): string {
  const cases = branches(root, '').map(([path, words]) => `    ${quoted(path)}) words=${quoted(words.join(' '))} ;;`);
  return [
    '_tollgate() {',
    '  local word path="" words=""',
    '  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
    '    case "$word" in -*) break ;; *) path="$path $word" ;; esac',
    '  done',
    '  case "$path" in',
    ...cases,
    '  esac',
    '  COMPREPLY=($(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}"))',
    '}',
    'complete -F _tollgate tollgate',
    '',
  ].join('\n');
}

/** https://fishshell.com/docs/current/completions.html */
function fishScriptOf(root: Command): string {
  const cases = branches(root, '').flatMap(([path, words]) => [
    `    case ${quoted(path)}`,
    `      printf '%s\\n' ${words.join(' ')}`,
  ]);
  return [
    'function __tollgate_words',
    "  set -l path ''",
    '  set -l words (commandline -opc)',
    '  set -e words[1]',
    '  for word in $words',
    "    string match -q -- '-*' $word; and break",
    '    set path "$path $word"',
    '  end',
    '  switch "$path"',
    ...cases,
    '  end',
    'end',
    "complete -c tollgate -f -a '(__tollgate_words)'",
    '',
  ].join('\n');
}

/** Every command by the words that lead to it, each behind a space, and what may follow. */
function branches(command: Command, path: string): [path: string, words: string[]][] {
  const options = command.options.flatMap(({ long }) => long ?? []);
  const words = [...command.commands.map((child) => child.name()), ...options, '--help'];
  return [[path, words], ...command.commands.flatMap((child) => branches(child, `${path} ${child.name()}`))];
}

const quoted = (text: string): string => `'${text}'`;
