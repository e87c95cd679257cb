import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import type { Command } from 'commander';
import { z } from 'zod';
import { programFor } from '../../main/cli/command-line.ts';
import type { Terminal } from '../../main/cli/console.ts';
import manifest from '../../package.json' with { type: 'json' };

const ROOT = join(import.meta.dirname, '../..');
const scripts = z.record(z.string(), z.string()).parse(manifest.scripts);
/** Scripts that npm runs without `run`. */
const OWN_NAMES = ['start', 'test'];
/** Words, quoted ones as a whole, and what separates commands. */
const WORD = /"([^"]*)"|'([^']*)'|(#.*)|(&&|[|<>])|([^\s"'#|<>&]\S*)/g;
const SETTING = /^[A-Z][A-Z0-9_]*=/;

/** The simple commands of a line of a shell, each as its words; comments and settings before a command are left out. */
export function commandsOf(line: string): string[][] {
  const commands: string[][] = [[]];
  for (const [, double, single, comment, operator, bare] of line.matchAll(WORD)) {
    if (comment !== undefined) break;
    if (operator === '&&' || operator === '|') commands.push([]);
    else if (operator !== undefined) commands.at(-1)!.push(operator);
    else if (commands.at(-1)!.length > 0 || !SETTING.test(bare ?? ''))
      commands.at(-1)!.push((double ?? single ?? bare)!);
  }
  return commands.filter((words) => words.length > 0);
}

/** The arguments of `mnemis` in a command, however it is started; null if the command is another one. */
export function mnemisArguments(words: readonly string[]): string[] | null {
  const given = words.includes('<') ? words.slice(0, words.indexOf('<')) : words;
  const [first, ...rest] =
    given[0] === 'npx' && given[1] === '-y' ? given.slice(2) : given[0] === 'npx' ? given.slice(1) : given;
  if (first === 'mnemis') return rest;
  const isScript =
    given[0] === 'npm' && given[1] === 'run' && given.includes('mnemis') && given.includes('--');
  return isScript ? given.slice(given.indexOf('--') + 1) : null;
}

/** What is wrong with a command of a document; null if it exists with all its flags. */
export async function problemOf(words: readonly string[]): Promise<string | null> {
  const argv = mnemisArguments(words);
  if (argv !== null) return problemOfMnemis(argv);
  const [program, name = '', ...rest] = words;
  if (program === 'npm') {
    const script = name === 'run' ? rest.find((word) => !word.startsWith('-')) : name;
    if (['install', 'ci', 'run'].includes(name) || OWN_NAMES.includes(name))
      return ['install', 'ci'].includes(name) || Object.hasOwn(scripts, script ?? '')
        ? null
        : `no script ${script}`;
    return `npm ${name} is not known here`;
  }
  const files = words.filter((word) => /^(?:test|scripts|examples|bench|main)\//.test(word));
  if ((program === 'npx' || program === 'node') && files.length > 0)
    return files.every((file) => existsSync(join(ROOT, file))) ? null : `no file ${files.join(', ')}`;
  return `nothing checks ${words.join(' ')}`;
}

async function problemOfMnemis(argv: readonly string[]): Promise<string | null> {
  const words = [...argv];
  let command: Command | undefined = (await programFor(argv, silent)) as Command;
  if (words.length === 0) return null;
  while (command.commands.length > 0 && words[0] !== undefined && !words[0].startsWith('-')) {
    const name = words[0];
    const inside: Command | undefined = command.commands.find((each) => each.name() === name);
    // A command with commands of its own may also take arguments.
    if (inside === undefined && command.registeredArguments.length > 0) break;
    if (inside === undefined) return `no command ${name} in ${command.name()}`;
    command = inside;
    words.shift();
  }
  if (words.some((word) => ['--help', '--version'].includes(word))) return null;
  try {
    const { operands, unknown } = command.parseOptions(words);
    const [flag] = unknown.filter((word) => word.startsWith('-') && word !== '-');
    if (flag !== undefined) return `${command.name()} has no flag ${flag}`;
    const given = [...operands, ...unknown];
    const most = command.registeredArguments.some(({ variadic }) => variadic)
      ? Infinity
      : command.registeredArguments.length;
    const least = command.registeredArguments.filter(({ required }) => required).length;
    return given.length > most || given.length < least
      ? `${command.name()} takes other arguments than ${given}`
      : null;
  } catch (error) {
    return String(error);
  }
}

const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
const silent: Terminal = {
  stdout: nowhere,
  stderr: nowhere,
  env: {},
  cwd: () => ROOT,
  once: () => undefined,
  removeListener: () => undefined,
};
