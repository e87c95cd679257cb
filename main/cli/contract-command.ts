import { Command, InvalidArgumentError, Option } from 'commander';
import { z } from 'zod';
import { CONFIG_KEYS, type Config, type ConfigKey } from '../config.ts';
import { contract, type InputOf, type MethodName, type OutputOf } from '../contract.ts';
import type { Terminal } from './console.ts';
import { type CommonFlags, commonFlags, someWords } from './flags.ts';
import { type ClientCommand, type ClientOptions, refuseEmptyScope, withClient } from './run-command.ts';
import { timeInWords } from './time-in-words.ts';

/** A field of the method's input on the command line: an argument, or the flag of its name. */
export interface CommandField {
  readonly says: string;
  /** Makes it an argument: `<query>`, or `[category]` for one that may be missing. */
  readonly argument?: string;
  /** What the flag's value is called in the help. Default: `number` or `name`, as the schema says. */
  readonly value?: string | undefined;
}

/** A call of one method: its command, and what was given. */
export interface Called<Name extends MethodName, Flags> extends ClientCommand {
  readonly input: InputOf<Name>;
  readonly flags: Flags & CommonFlags & Partial<Config>;
}

/** What a call replies, or the events of a stream. */
type Reply<Name extends MethodName> = (typeof contract)[Name]['kind'] extends 'call'
  ? OutputOf<Name>
  : AsyncGenerator<OutputOf<Name>, void>;

/** A command that calls one method of the contract and prints its reply. */
export interface ContractCommand<Name extends MethodName, Result, Flags> {
  readonly name: string;
  readonly summary: string;
  readonly help?: string;
  readonly method: Name;
  /**
   * Fields of the input that the command line sets, in the order of the help. Their values are checked as the method's
   * schema says. The scope is a flag of each command, and `k`, `recipe` and `tokenBudget` are settings.
   */
  readonly fields?: { readonly [Field in keyof InputOf<Name>]?: CommandField };
  /** Fields that have no flag of their own. */
  readonly input?: (flags: Flags) => Partial<InputOf<Name>>;
  /** Adds flags before those of the fields, such as `learningFlags`. */
  readonly before?: (command: Command) => Command;
  /** Adds flags after those of the fields, such as `--verbose`. */
  readonly after?: (command: Command) => Command;
  /** How the memory is opened. Default: to read. */
  readonly opening?: (flags: Flags) => Partial<ClientOptions>;
  /** The result of a reply or of events. Default: the reply. */
  readonly result?: (reply: Reply<Name>, called: Called<Name, Flags>) => Promise<Result>;
  /** Whether a scope without turns is reported as an error before the call. */
  readonly needsTurns?: boolean;
  /** Whether nothing was found, so that a scope without turns is reported as an error. */
  readonly isEmpty?: (result: Result) => boolean;
  /** What `--json` prints. Default: the result. */
  readonly json?: (result: Result, called: Called<Name, Flags>) => unknown;
  readonly lines?: (result: Result, called: Called<Name, Flags>) => readonly string[] | string;
  /** Prints the result, where it is more than JSON or lines. */
  readonly print?: (result: Result, called: Called<Name, Flags>) => void;
}

/** The fields of methods that read what was true, or what memory held, at a time. */
export function lookBackFields(verb: string): Readonly<Record<'asOf' | 'knownAt', CommandField>> {
  return {
    asOf: {
      value: 'time',
      says: `${verb} what was true at this time: a date, or words such as "last month"`,
    },
    knownAt: { value: 'time', says: `${verb} what memory held at this time` },
  };
}

/** Fields of a method that are settings, which a flag overrides. */
const SETTINGS = { k: 'k', recipe: 'recipe', tokenBudget: 'llmTokenBudget' } as const;

export function contractCommand<Name extends MethodName, Result = Reply<Name>, Flags = object>(
  terminal: Terminal,
  described: ContractCommand<Name, Result, Flags>,
): Command {
  const { name, method, summary, help, fields = {}, before = same, after = same } = described;
  const shape = (contract[method].input as unknown as z.ZodObject).shape;
  const command = before(commonFlags(new Command(name))).description(summary);
  const entries = Object.entries(fields) as [string, CommandField][];
  const words = entries.filter(([, { argument }]) => argument !== undefined).map(([field]) => field);
  for (const [field, { argument, says, value }] of entries)
    if (argument === undefined) command.addOption(flagFor(field, shape[field] as z.ZodType, { says, value }));
    else if (argument.startsWith('<')) command.argument(argument, says, someWords);
    else command.argument(argument, says);
  after(command);
  if (help !== undefined) command.addHelpText('after', help);
  return command.action(async (...all: unknown[]) => {
    const given = all[words.length] as Readonly<Record<string, unknown>>;
    const flags = given as Called<Name, Flags>['flags'];
    const own: Record<string, unknown> = Object.fromEntries(words.map((field, at) => [field, all[at]]));
    for (const [field] of entries.filter(([each]) => !words.includes(each) && !(each in SETTINGS)))
      own[field] = isTime(shape[field] as z.ZodType)
        ? await timeInWords(`--${separated(field)}`, given[field] as string | undefined)
        : given[field];
    const settings = Object.entries(given).filter(
      ([flag]) => flag === 'json' || CONFIG_KEYS.includes(flag as ConfigKey),
    );
    const opening = { access: 'reads' as const, ...described.opening?.(flags) };
    await withClient(terminal, { ...Object.fromEntries(settings), ...opening }, async (opened) => {
      if (described.needsTurns === true) await refuseEmptyScope(opened);
      const input = {
        scope: opened.config.scope,
        ...settingsIn(shape, opened.config),
        ...own,
        ...described.input?.(flags),
      } as InputOf<Name>;
      const called = { ...opened, input, flags };
      const run = opened.client[method] as (input: unknown, options: object) => Promise<unknown>;
      const replied = run(input, { signal: opened.signal });
      const reply = (contract[method].kind === 'call' ? await replied : replied) as Reply<Name>;
      const result = await (described.result?.(reply, called) ?? (reply as unknown as Result));
      if (described.isEmpty?.(result)) await refuseEmptyScope(opened);
      const { json, lines, print } = described;
      if (lines !== undefined)
        opened.console.result(json?.(result, called) ?? result, () => lines(result, called));
      print?.(result, called);
    });
  });
}

const same = (command: Command) => command;

const separated = (field: string) => field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

function settingsIn(shape: Readonly<Record<string, unknown>>, config: Config): object {
  const some = Object.entries(SETTINGS).filter(([field]) => field in shape);
  return Object.fromEntries(some.map(([field, setting]) => [field, config[setting]]));
}

function flagFor(
  field: string,
  schema: z.ZodType,
  { says, value }: Pick<CommandField, 'says' | 'value'>,
): Option {
  const inner = unwrapped(schema);
  const flag = `--${separated(field)}`;
  if (inner instanceof z.ZodBoolean) return new Option(flag, says);
  const isNumber = inner instanceof z.ZodNumber;
  const option = new Option(`${flag} <${value ?? (isNumber ? 'number' : 'name')}>`, says);
  if (inner instanceof z.ZodEnum) return option.choices(inner.options.map(String));
  if (isNumber) return option.argParser(numberFor(inner));
  return inner instanceof z.ZodString ? option.argParser(someWords) : option;
}

function numberFor(schema: z.ZodNumber): (text: string) => number {
  const { minValue: least, maxValue: most } = schema;
  const isWhole = schema.isInt;
  // The method, or the setting, names the upper limit of whole numbers itself.
  const range = isWhole ? `a whole number from ${least}` : `a number from ${least} to ${most}`;
  return (text) => {
    const number = Number(text);
    const fits = number >= least! && (isWhole ? Number.isInteger(number) : number <= most!);
    if (text.trim() === '' || !fits) throw new InvalidArgumentError(`It must be ${range}.`);
    return number;
  };
}

function unwrapped(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodOptional ? unwrapped(schema.unwrap() as z.ZodType) : schema;
}

/** Times are milliseconds or text, and words on the command line. */
function isTime(schema: z.ZodType): boolean {
  return unwrapped(schema) instanceof z.ZodUnion;
}
