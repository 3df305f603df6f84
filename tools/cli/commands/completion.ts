import { Argument, Command } from 'commander';
import type { Write } from '../program';

/** `completion`: what a shell has to be told, to complete commands and options of `root`. */
export function completion(root: Command, { out }: Write): Command {
  return new Command('completion')
    .description('print what makes a shell complete commands and options: source <(tollgate completion bash)')
    .addArgument(new Argument('<shell>').choices(['bash', 'zsh']))
    .action((shell: string) => out(scriptOf(root, shell === 'zsh')));
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

/** Every command by the words that lead to it, each behind a space, and what may follow. */
function branches(command: Command, path: string): [path: string, words: string[]][] {
  const options = command.options.flatMap(({ long }) => long ?? []);
  const words = [...command.commands.map((child) => child.name()), ...options, '--help'];
  return [[path, words], ...command.commands.flatMap((child) => branches(child, `${path} ${child.name()}`))];
}

const quoted = (text: string): string => `'${text}'`;
