import { Command, CommanderError } from 'commander';
import { CancelledError, UnknownNameError } from '../../src/errors/index.ts';
import { InvalidSettingError, UsageError } from '../errors.ts';
import { mnemisVersion } from '../version.ts';
import { CommandConsole, CommandFailed, type Terminal, widthOf } from './console.ts';
import { wrapLines } from './wrap-line.ts';

const EXIT_CODES: Readonly<Record<string, number>> = {
  [UsageError.code]: 2,
  [InvalidSettingError.code]: 2,
  [UnknownNameError.code]: 2,
  [CancelledError.code]: 130,
};

/**
 * Runs one command and returns the exit code: 0 success, 1 failure, 2 invalid command line or setting, 130 cancelled.
 */
export async function runCommandLine(argv: readonly string[], terminal: Terminal): Promise<number> {
  const program = await programFor(argv, terminal);
  try {
    const isVersion = VERSION_FLAGS.includes(argv[0] ?? '');
    const given = isVersion ? ['--version'] : withoutHelpCommand(program, argv);
    await program.parseAsync([...given], { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommandFailed) return 1;
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    const console = new CommandConsole(terminal, argv.includes('--json'));
    return EXIT_CODES[console.failure(error)] ?? 1;
  }
}

const VERSION_FLAGS = ['--version', '-v', '-V'];

type MakeCommand = (terminal: Terminal) => Command;

/** In the order of the help. Each is loaded when it runs: all of them together take most of a second. */
const COMMANDS: Readonly<Record<string, () => Promise<MakeCommand>>> = {
  app: async () => (await import('./commands/app.ts')).appCommand,
  add: async () => (await import('./commands/add.ts')).addCommand,
  import: async () => (await import('./commands/import.ts')).importCommand,
  resume: async () => (await import('./commands/resume.ts')).resumeCommand,
  search: async () => (await import('./commands/search.ts')).searchCommand,
  ask: async () => (await import('./commands/ask.ts')).askCommand,
  explain: async () => (await import('./commands/explain.ts')).explainCommand,
  tree: async () => (await import('./commands/tree.ts')).treeCommand,
  hierarchy: async () => (await import('./commands/hierarchy.ts')).hierarchyCommand,
  stats: async () => (await import('./commands/stats.ts')).statsCommand,
  changes: async () => (await import('./commands/changes.ts')).changesCommand,
  forget: async () => (await import('./commands/forget.ts')).forgetCommand,
  correct: async () => (await import('./commands/correct.ts')).correctCommand,
  corrections: async () => (await import('./commands/correct.ts')).correctionsCommand,
  export: async () => (await import('./commands/export.ts')).exportCommand,
  restore: async () => (await import('./commands/restore.ts')).restoreCommand,
  backup: async () => (await import('./commands/backup.ts')).backupCommand,
  verify: async () => (await import('./commands/verify.ts')).verifyCommand,
  repair: async () => (await import('./commands/repair.ts')).repairCommand,
  maintain: async () => (await import('./commands/maintain.ts')).maintainCommand,
  compact: async () => (await import('./commands/compact.ts')).compactCommand,
  copy: async () => (await import('./commands/copy.ts')).copyCommand,
  reembed: async () => (await import('./commands/reembed.ts')).reembedCommand,
  server: async () => (await import('./commands/server.ts')).serverCommand,
  serve: async () => (await import('./commands/serve.ts')).serveCommand,
  token: async () => (await import('./commands/token.ts')).tokenCommand,
  mcp: async () => (await import('./commands/mcp.ts')).mcpCommand,
  agent: async () => (await import('./commands/agent.ts')).agentCommand,
  eval: async () => evaluationCommand,
  models: async () => (await import('./commands/models.ts')).modelsCommand,
  llm: async () => (await import('./commands/llm.ts')).llmCommand,
  config: async () => (await import('./commands/config.ts')).configCommand,
  doctor: async () => (await import('./commands/doctor.ts')).doctorCommand,
  demo: async () => (await import('./commands/demo.ts')).demoCommand,
  completion: async () => {
    const { completionCommand } = await import('./commands/completion.ts');
    return (terminal) => completionCommand(terminal, () => wholeProgram(terminal));
  },
};

function evaluationCommand(): Command {
  return new Command('eval').description('Measure memory methods on a data set that you provide.');
}

async function wholeProgram(terminal: Terminal): Promise<Command> {
  const program = await programFor([], terminal);
  const evaluation = program.commands.find((each) => each.name() === 'eval')!;
  (await import('./commands/eval.ts')).addEvaluations(evaluation, terminal);
  return program;
}

/** The program with the command that runs, or with all commands, for the help and for messages that name them. */
export async function programFor(argv: readonly string[], terminal: Terminal): Promise<Command> {
  const [first = ''] = argv;
  const isNamed = Object.hasOwn(COMMANDS, first);
  const program = new Command('mnemis')
    .description(
      'Long-term memory in one file: stores conversations and answers questions from them, with evidence.',
    )
    // After a command, -v is --verbose.
    .version(mnemisVersion(), isNamed ? '-V, --version' : '-v, --version', 'print the version')
    .helpCommand('help [command...]', 'describe a command')
    .addHelpText(
      'after',
      `
Examples:
  mnemis demo                        try it on a bundled conversation
  mnemis add "I moved to Ghent."     store a sentence and read it for facts
  mnemis import chat.zip             import the export of a chat
  mnemis ask "Where do I live?"      an answer with citations
  mnemis search "owl drawings"       what memory holds about it
  mnemis tree                        browse entities by category

Exit codes: 0 success; 1 failure, such as an empty scope; 2 invalid command line or setting; 130 cancelled`,
    );
  const named = isNamed ? [COMMANDS[first]!] : Object.values(COMMANDS);
  const isVersion = VERSION_FLAGS.includes(first);
  if (!isVersion) for (const load of named) program.addCommand((await load())(terminal));
  if (first === 'eval') (await import('./commands/eval.ts')).addEvaluations(program.commands[0]!, terminal);
  configure(program, 'mnemis', terminal);
  return program;
}

/**
 * The arguments with "help NAME" as "NAME --help". An unknown name remains as the command, so that it is reported, with
 * commands of similar names.
 */
function withoutHelpCommand(program: Command, argv: readonly string[]): readonly string[] {
  if (argv[0] !== 'help') return argv;
  const path: string[] = [];
  let command: Command | undefined = program;
  for (const name of argv.slice(1)) {
    if (name.startsWith('-')) continue;
    path.push(name);
    command = command.commands.find((each) => each.name() === name);
    if (command === undefined) return path;
  }
  return [...path, '--help'];
}

/** Converts commander's errors to UsageError, which `runCommandLine` reports; prints help and the version unchanged. */
function configure(command: Command, path: string, terminal: Terminal): void {
  command
    .showSuggestionAfterError(false)
    .exitOverride((error) => {
      if (error.exitCode === 0 || error.code === 'commander.help') throw error;
      const what = error.message.replace(/^error: /, '').replace(/\.$/, '');
      throw new UsageError(
        `${what}${suggestion(command, error)} Run "${path} --help" for ${helpOn(command)}.`,
      );
    })
    .configureOutput({
      writeOut: (text) => void terminal.stdout.write(wrapLines(text, widthOf(terminal.stdout))),
      writeErr: (text) => void terminal.stderr.write(wrapLines(text, widthOf(terminal.stderr))),
      outputError: () => undefined,
    });
  for (const each of command.commands) configure(each, `${path} ${each.name()}`, terminal);
}

function helpOn({ commands }: Command): string {
  return commands.length === 0 ? 'its options' : 'commands and options';
}

function suggestion(command: Command, { code, message }: CommanderError): string {
  const given = /'([^']*)'/.exec(message)?.[1] ?? '';
  const near = nearestNames(given, KNOWN[code]?.(command) ?? []);
  return near.length === 0 ? '.' : `; did you mean ${near.join(' or ')}?`;
}

const KNOWN: Readonly<Record<string, (command: Command) => string[]>> = {
  'commander.unknownOption': ({ options }) => options.flatMap(({ long }) => long ?? []),
  'commander.unknownCommand': ({ commands }) => commands.map((each) => each.name()),
};

const MOST = 3;

/**
 * The names that may be meant by a misspelt one: those that begin with it, else the nearest of those that differ by a
 * typing error, which is one letter, two in a long name.
 */
export function nearestNames(given: string, names: readonly string[]): string[] {
  const bare = given.replace(/^-+/, '').toLowerCase();
  const of = (name: string) => name.replace(/^-+/, '');
  if (bare.length < 2) return [];
  const begun = names.filter((name) => of(name).startsWith(bare));
  if (begun.length > 0) return begun.slice(0, MOST);
  const farthest = bare.length < 6 ? 1 : 2;
  const near = names
    .map((name) => ({ name, distance: distanceOf(bare, of(name)) }))
    .filter(({ distance }) => distance <= farthest);
  const least = Math.min(...near.map(({ distance }) => distance));
  return near.flatMap(({ name, distance }) => (distance === least ? [name] : [])).slice(0, MOST);
}

/** The number of letters to insert, delete, replace or swap with the next one. */
function distanceOf(one: string, other: string): number {
  let before: number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let at = 1; at <= one.length; at++) {
    const next = [at];
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[at - 1] === other[column - 1];
      const isSwapped = one[at - 1] === other[column - 2] && one[at - 2] === other[column - 1];
      next[column] = Math.min(
        row[column]! + 1,
        next[column - 1]! + 1,
        row[column - 1]! + (isSame ? 0 : 1),
        isSwapped ? before[column - 2]! + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [before, row] = [row, next];
  }
  return row[other.length]!;
}
