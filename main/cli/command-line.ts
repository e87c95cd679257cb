import { Command, CommanderError } from 'commander';
import { CancelledError, UnknownNameError } from '../../src/errors/index.ts';
import { InvalidSettingError, UsageError } from '../errors.ts';
import { mnemisVersion } from '../version.ts';
import { appCommand } from './commands/app.ts';
import { askCommand } from './commands/ask.ts';
import { backupCommand } from './commands/backup.ts';
import { changesCommand } from './commands/changes.ts';
import { compactCommand } from './commands/compact.ts';
import { configCommand } from './commands/config.ts';
import { correctCommand, correctionsCommand } from './commands/correct.ts';
import { demoCommand } from './commands/demo.ts';
import { doctorCommand } from './commands/doctor.ts';
import { explainCommand } from './commands/explain.ts';
import { exportCommand } from './commands/export.ts';
import { forgetCommand } from './commands/forget.ts';
import { hierarchyCommand } from './commands/hierarchy.ts';
import { importCommand } from './commands/import.ts';
import { llmCommand } from './commands/llm.ts';
import { maintainCommand } from './commands/maintain.ts';
import { mcpCommand } from './commands/mcp.ts';
import { modelsCommand } from './commands/models.ts';
import { reembedCommand } from './commands/reembed.ts';
import { repairCommand } from './commands/repair.ts';
import { restoreCommand } from './commands/restore.ts';
import { resumeCommand } from './commands/resume.ts';
import { searchCommand } from './commands/search.ts';
import { serverCommand } from './commands/server.ts';
import { statsCommand } from './commands/stats.ts';
import { treeCommand } from './commands/tree.ts';
import { verifyCommand } from './commands/verify.ts';
import { CommandConsole, CommandFailed, type Terminal } from './console.ts';

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
    await program.parseAsync([...argv], { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommandFailed) return 1;
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    const console = new CommandConsole(terminal, argv.includes('--json'));
    return EXIT_CODES[console.failure(error)] ?? 1;
  }
}

async function programFor(argv: readonly string[], terminal: Terminal): Promise<Command> {
  const program = new Command('mnemis')
    .description(
      'Long-term memory in one file: stores conversations and answers questions from them, with evidence.',
    )
    .version(mnemisVersion())
    .addHelpText(
      'after',
      `
Examples:
  mnemis demo                                          try it on a bundled conversation
  mnemis import chat.jsonl --format jsonl              import a file of turns
  mnemis ask "Where does Nora live now?"               an answer with citations
  mnemis search "owl drawings" --json                  ranked evidence for a program
  mnemis tree                                          browse entities by category`,
    );
  const evaluation = new Command('eval').description(
    'Measure memory methods on a data set that you provide.',
  );
  // Data sets, metrics and the recipes of the papers are loaded only for this command.
  if (argv.includes('eval')) (await import('./commands/eval.ts')).addEvaluations(evaluation, terminal);
  for (const command of [
    appCommand,
    importCommand,
    resumeCommand,
    searchCommand,
    askCommand,
    explainCommand,
    treeCommand,
    hierarchyCommand,
    statsCommand,
    changesCommand,
    forgetCommand,
    correctCommand,
    correctionsCommand,
    exportCommand,
    restoreCommand,
    backupCommand,
    verifyCommand,
    repairCommand,
    maintainCommand,
    compactCommand,
    reembedCommand,
    serverCommand,
    mcpCommand,
    () => evaluation,
    modelsCommand,
    llmCommand,
    configCommand,
    doctorCommand,
    demoCommand,
  ])
    program.addCommand(command(terminal));
  configure(program, 'mnemis', terminal);
  return program;
}

/** Converts commander's errors to UsageError, which `runCommandLine` reports; prints help and the version unchanged. */
function configure(command: Command, path: string, terminal: Terminal): void {
  command
    .exitOverride((error) => {
      if (error.exitCode === 0 || error.code === 'commander.help') throw error;
      const what = error.message.replace(/^error: /, '').replace(/\.$/, '');
      throw new UsageError(`${what}. Run "${path} --help" for commands and options.`);
    })
    .configureOutput({
      writeOut: (text) => void terminal.stdout.write(text),
      writeErr: (text) => void terminal.stderr.write(text),
      outputError: () => undefined,
    });
  for (const each of command.commands) configure(each, `${path} ${each.name()}`, terminal);
}
