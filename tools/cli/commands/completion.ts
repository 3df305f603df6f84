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
  const casesOf = (branchesOf: Branch[]) =>
    branchesOf.map(([path, words]) => `    ${quoted(path)}) words=${quoted(words.join(' '))} ;;`);
  return [
    '_tollgate() {',
    '  local word path="" words="" at=$((COMP_CWORD - 1)) typed="${COMP_WORDS[COMP_CWORD]}"',
    '  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
    '    case "$word" in -*) break ;; *) path="$path $word" ;; esac',
    '  done',
    // What is written as --option=value are three words for bash.
    '  if [ "$typed" = "=" ]; then typed=""; elif [ "${COMP_WORDS[at]}" = "=" ]; then at=$((at - 1)); fi',
    '  case "$path ${COMP_WORDS[at]}" in',
    ...casesOf(values(root, '')),
    '  *) case "$path" in',
    ...casesOf(branches(root, '')),
    '  esac ;;',
    '  esac',
    '  COMPREPLY=($(compgen -W "$words" -- "$typed"))',
    '}',
    'complete -F _tollgate tollgate',
    '',
  ].join('\n');
}

/** https://fishshell.com/docs/current/completions.html */
function fishScriptOf(root: Command): string {
  const casesOf = (branchesOf: Branch[]) =>
    branchesOf.flatMap(([path, words]) => [
      `    case ${quoted(path)}`,
      `      ${words.length === 0 ? 'true' : `printf '%s\\n' ${words.join(' ')}`}`,
    ]);
  return [
    'function __tollgate_words',
    "  set -l path ''",
    '  set -l words (commandline -opc)',
    '  set -l last $words[-1]',
    '  set -e words[1]',
    '  for word in $words',
    "    string match -q -- '-*' $word; and break",
    '    set path "$path $word"',
    '  end',
    '  switch "$path $last"',
    ...casesOf(values(root, '')),
    '    case "*"',
    '  switch "$path"',
    ...casesOf(branches(root, '')),
    '  end',
    '  end',
    'end',
    "complete -c tollgate -f -a '(__tollgate_words)'",
    '',
  ].join('\n');
}

type Branch = [path: string, words: readonly string[]];

/** Every command by the words that lead to it, each behind a space, and what may follow. */
function branches(command: Command, path: string): Branch[] {
  const options = command.options.flatMap(({ long }) => long ?? []);
  const given = command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices);
  const words = [...command.commands.map((child) => child.name()), ...given, ...options, '--help'];
  return [[path, words], ...command.commands.flatMap((child) => branches(child, `${path} ${child.name()}`))];
}

/**
 * Every option that takes a value, behind the words of its command, and its values: none where anything goes.
 */
function values(command: Command, path: string): Branch[] {
  const own = command.options
    .filter(({ required, optional }) => required || optional)
    .flatMap(({ long, argChoices = [] }): Branch[] => (long ? [[`${path} ${long}`, argChoices]] : []));
  return [...own, ...command.commands.flatMap((child) => values(child, `${path} ${child.name()}`))];
}

const quoted = (text: string): string => `'${text}'`;
