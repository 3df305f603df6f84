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

/**
 * In bash, and in zsh, where `path` is what $PATH says. What is written as --option=value are three words for
 * bash, and so is a@b or a:b: of these the last two are no words of their own. An option that takes many
 * values takes every word up to the next option.
 */
function bashScriptOf(root: Command): string {
  const casesOf = (branches: Branch[]) =>
    branches.map(([place, words]) => `    ${quoted(place)}) words=${quoted(words.join(' '))} ;;`);
  const { commands, options, manyValued, positions } = linesOf(root);
  return [
    '_tollgate() {',
    '  local word line="" option="" words="" typed="${COMP_WORDS[COMP_CWORD]}"',
    '  local -i given=0 joined=0',
    '  for word in "${COMP_WORDS[@]:1:$((COMP_CWORD - 1))}"; do',
    '    if [ "$joined" = 1 ]; then joined=0; continue; fi',
    '    case "$word" in',
    "      '=') continue ;;",
    '      [@:] | ::) joined=1; continue ;;',
    '      -*)',
    '        option=""',
    `        case "$line $word" in ${patternOf(placesOf(options))}) option="$word" ;; esac`,
    '        continue ;;',
    '    esac',
    '    if [ -n "$option" ]; then',
    `      case "$line $option" in ${patternOf(manyValued)}) ;; *) option="" ;; esac`,
    '      continue',
    '    fi',
    `    case "$line $word" in ${patternOf(commands)}) line="$line $word"; continue ;; esac`,
    `    case "$line $((given + 1))" in ${patternOf(placesOf(positions))}) given+=1 ;; esac`,
    '  done',
    '  [ "$typed" = "=" ] && typed=""',
    '  if [ -n "$option" ]; then case "$line $option" in',
    ...casesOf(options),
    '  esac; else case "$line $given" in',
    ...casesOf(positions),
    '  esac; fi',
    '  [ "$joined" = 1 ] && words=""',
    '  COMPREPLY=($(compgen -W "$words" -- "$typed"))',
    '}',
    'complete -F _tollgate tollgate',
    '',
  ].join('\n');
}

/** https://fishshell.com/docs/current/completions.html It keeps --option=value in a word. */
function fishScriptOf(root: Command): string {
  const casesOf = (branches: Branch[]) =>
    branches.flatMap(([place, words]) => [
      `      case ${quoted(place)}`,
      `        ${words.length === 0 ? 'true' : `printf '%s\\n' ${words.join(' ')}`}`,
    ]);
  const { commands, options, manyValued, positions } = linesOf(root);
  return [
    'function __tollgate_words',
    "  set -l path ''",
    "  set -l option ''",
    '  set -l given 0',
    '  set -l words (commandline -opc)',
    '  set -e words[1]',
    '  for word in $words',
    "    if string match -q -- '-*' $word",
    "      set option ''",
    `      contains -- "$path $word" ${listOf(placesOf(options))}; and set option $word`,
    '    else if test -n "$option"',
    `      contains -- "$path $option" ${listOf(manyValued)}; or set option ''`,
    `    else if contains -- "$path $word" ${listOf(commands)}`,
    '      set path "$path $word"',
    `    else if contains -- "$path "(math $given + 1) ${listOf(placesOf(positions))}`,
    '      set given (math $given + 1)',
    '    end',
    '  end',
    '  if test -n "$option"',
    '    switch "$path $option"',
    ...casesOf(options),
    '    end',
    '  else',
    '    switch "$path $given"',
    ...casesOf(positions),
    '    end',
    '  end',
    'end',
    "complete -c tollgate -f -a '(__tollgate_words)'",
    '',
  ].join('\n');
}

type Branch = [place: string, words: readonly string[]];

/**
 * What a command line may be made of. `commands`: the words that lead to each command but the root, each
 * behind a space. `options`: behind these words every option that takes a value, and its values, none where
 * anything goes; of `manyValued` more than one. `positions`: behind these words how many arguments are given,
 * the last of them standing for more, and what may follow.
 */
interface Lines {
  commands: string[];
  options: Branch[];
  manyValued: string[];
  positions: Branch[];
}

function linesOf(command: Command, path = ''): Lines {
  const valued = command.options.flatMap(({ long, required, optional, variadic, argChoices: choices = [] }) =>
    long && (required || optional) ? [{ place: `${path} ${long}`, variadic, choices }] : [],
  );
  const below = command.commands.map((child) => linesOf(child, `${path} ${child.name()}`));
  return {
    commands: [
      ...command.commands.map((child) => `${path} ${child.name()}`),
      ...below.flatMap(({ commands }) => commands),
    ],
    options: [
      ...valued.map(({ place, choices }): Branch => [place, choices]),
      ...below.flatMap(({ options }) => options),
    ],
    manyValued: [
      ...valued.flatMap(({ place, variadic }) => (variadic ? [place] : [])),
      ...below.flatMap(({ manyValued }) => manyValued),
    ],
    positions: [...positionsOf(command, path), ...below.flatMap(({ positions }) => positions)],
  };
}

/**
 * What may follow at each place of a command's arguments, and behind the last: there its options alone, and
 * nothing where a command of its own was to stand.
 */
function positionsOf(command: Command, path: string): Branch[] {
  const options = [...command.options.flatMap(({ long }) => long ?? []), '--help'];
  const named = command.commands.map((child) => child.name());
  const given = command.registeredArguments.map(({ argChoices = [] }) => [...argChoices, ...options]);
  const places = named.length > 0 ? [[...named, ...options], []] : [...given, options];
  return places.map((words, index) => [`${path} ${index}`, words]);
}

const quoted = (text: string): string => `'${text}'`;
const listOf = (texts: readonly string[]): string => texts.map(quoted).join(' ');
const patternOf = (texts: readonly string[]): string => texts.map(quoted).join('|') || quoted('');
const placesOf = (branches: readonly Branch[]): string[] => branches.map(([place]) => place);
