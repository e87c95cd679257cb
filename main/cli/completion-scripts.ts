// biome-ignore-all lint/suspicious/noTemplateCurlyInString: shells write their variables like this
import type { Command, Option } from 'commander';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** What may follow the words of a command, such as `hierarchy update`. */
interface Completions {
  readonly path: string;
  readonly commands: readonly { readonly word: string; readonly says: string }[];
  readonly flags: readonly Flag[];
}

interface Flag {
  readonly word: string;
  readonly says: string;
  readonly takesValue: boolean;
  /** The only values, if it has such. */
  readonly choices: readonly string[];
}

/** The script that completes the command line of a program. It names the commands and flags of this version. */
export function completionScript(program: Command, shell: Shell): string {
  return `${SCRIPTS[shell](completionsOf(program, '')).join('\n')}\n`;
}

function completionsOf(command: Command, path: string): readonly Completions[] {
  const pathOf = (each: Command) => `${path} ${each.name()}`.trim();
  const commands = command.commands.map((each) => ({ word: each.name(), says: inShort(each.description()) }));
  const help = { word: '--help', says: 'display help for command', takesValue: false, choices: [] };
  return [
    { path, commands, flags: [...command.options.map(flagOf), help] },
    ...command.commands.flatMap((each) => completionsOf(each, pathOf(each))),
  ];
}

function flagOf({ long, required, optional, argChoices, description }: Option): Flag {
  const takesValue = required || optional;
  return { word: long!, says: inShort(description), takesValue, choices: argChoices ?? [] };
}

/** The first sentence, without what a shell would read as part of the script. */
function inShort(text: string): string {
  return text
    .split(/[.:;(]\s|[.(]/, 1)[0]!
    .replace(/["'`$\\]/g, '')
    .trim();
}

/** Sets `at` to the path of the command that the words before the cursor name. */
function walk(all: readonly Completions[], words: string): string[] {
  const paths = all.map(({ path }) => path).filter((path) => path !== '');
  return [
    '  local at="" word',
    `  for word in ${words}; do`,
    `    case "\${at:+$at }$word" in ${paths.map((path) => `"${path}"`).join('|')}) at="\${at:+$at }$word" ;; esac`,
    '  done',
  ];
}

function bash(all: readonly Completions[]): string[] {
  const cases = (wordsOf: (each: Completions) => readonly string[]) =>
    all.flatMap((each) => {
      const words = wordsOf(each).join(' ');
      return words === '' ? [] : [`      "${each.path}") words="${words}" ;;`];
    });
  return [
    '_mnemis() {',
    '  local current="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" words=""',
    ...walk(all, '"${COMP_WORDS[@]:1:COMP_CWORD-1}"'),
    '  case "$at $before" in',
    ...all.flatMap(({ path, flags }) =>
      flags
        .filter(({ choices }) => choices.length > 0)
        .map(({ word, choices }) => `    "${path} ${word}") words="${choices.join(' ')}" ;;`),
    ),
    '    *) if [[ "$current" == -* ]]; then case "$at" in',
    ...cases(({ flags }) => flags.map(({ word }) => word)),
    '    esac; else case "$at" in',
    ...cases(({ commands }) => commands.map(({ word }) => word)),
    '    esac; fi ;;',
    '  esac',
    '  COMPREPLY=($(compgen -W "$words" -- "$current"))',
    '}',
    'complete -o default -F _mnemis mnemis',
  ];
}

function zsh(all: readonly Completions[]): string[] {
  const described = (items: readonly { readonly word: string; readonly says: string }[]) =>
    items.map(({ word, says }) => `'${word}:${says}'`).join(' ');
  return [
    '#compdef mnemis',
    '_mnemis() {',
    '  local -a found',
    ...walk(all, '"${(@)words[2,CURRENT-1]}"'),
    '  case "$at ${words[CURRENT-1]}" in',
    ...all.flatMap(({ path, flags }) =>
      flags
        .filter(({ choices }) => choices.length > 0)
        .map(({ word, choices }) => `    "${path} ${word}") found=(${choices.join(' ')}) ;;`),
    ),
    '    *) if [[ "${words[CURRENT]}" == -* ]]; then case "$at" in',
    ...all.map(({ path, flags }) => `      "${path}") found=(${described(flags)}) ;;`),
    '    esac; else case "$at" in',
    ...all.flatMap(({ path, commands }) =>
      commands.length === 0 ? [] : [`      "${path}") found=(${described(commands)}) ;;`],
    ),
    '    esac; fi ;;',
    '  esac',
    '  if (( ${#found} )); then _describe mnemis found; else _files; fi',
    '}',
    'compdef _mnemis mnemis',
  ];
}

function fish(all: readonly Completions[]): string[] {
  return all.flatMap(({ path, commands, flags }) => {
    const names = commands.map(({ word }) => word).join(' ');
    const seen = path.split(' ').map((word) => `__fish_seen_subcommand_from ${word}`);
    const here = path === '' ? '__fish_use_subcommand' : seen.join('; and ');
    const isNext = path === '' ? here : `${here}; and not __fish_seen_subcommand_from ${names}`;
    return [
      ...commands.map(({ word, says }) => `complete -c mnemis -n '${isNext}' -f -a ${word} -d '${says}'`),
      ...flags.map(({ word, says, takesValue, choices }) => {
        const value = choices.length > 0 ? ` -x -a '${choices.join(' ')}'` : takesValue ? ' -r' : '';
        return `complete -c mnemis -n '${here}' -l ${word.slice(2)}${value} -d '${says}'`;
      }),
    ];
  });
}

const SCRIPTS: Readonly<Record<Shell, (all: readonly Completions[]) => string[]>> = { bash, zsh, fish };
