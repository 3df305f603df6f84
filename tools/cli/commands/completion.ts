import { Argument, Command } from 'commander';
import type { Write } from '../program';

/** `completion`: what a shell has to be told, to complete commands and options of `root`. */
export function completion(root: Command, { out }: Write): Command {
  return new Command('completion')
    .description('print what makes a shell complete commands and options: source <(tollgate completion bash)')
    .addArgument(new Argument('<shell>').choices(['bash', 'zsh', 'fish']))
    .action((shell: string) => out(shell === 'fish' ? fishScriptOf(root) : scriptOf(root, shell === 'zsh')));
}

/** zsh has a way to take bash's. https://zsh.sourceforge.io/Doc/Release/Completion-System.html */
function scriptOf(root: Command, isZsh: boolean): string {
  const cases = branches(root, '').map(([path, words]) => `    ${quoted(path)}) words=${quoted(words.join(' '))} ;;`);
  return [
    ...(isZsh ? ['autoload -U +X bashcompinit && bashcompinit'] : []),
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
