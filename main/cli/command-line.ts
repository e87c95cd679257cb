import { Command, CommanderError } from 'commander';
import { askCommand } from './commands/ask.ts';
import { configCommand } from './commands/config.ts';
import { demoCommand } from './commands/demo.ts';
import { doctorCommand } from './commands/doctor.ts';
import { evalCommand } from './commands/eval.ts';
import { exportCommand } from './commands/export.ts';
import { importCommand } from './commands/import.ts';
import { restoreCommand } from './commands/restore.ts';
import { searchCommand } from './commands/search.ts';
import { statsCommand } from './commands/stats.ts';
import { CommandConsole, CommandFailed, type Terminal } from './console.ts';
import { mnemisVersion } from './version.ts';

/** Runs one command and returns the exit code: 0, 1 for a failure, 2 for words that make no command, 130 for a cancel. */
export async function runCommandLine(argv: readonly string[], terminal: Terminal): Promise<number> {
  const program = programFor(terminal);
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (error instanceof CommandFailed) return 1;
    new CommandConsole(terminal, argv.includes('--json')).failure(error);
    return isCancel(error) ? 130 : 1;
  }
}

function programFor(terminal: Terminal): Command {
  const program = new Command('mnemis')
    .description('Long-term memory in one file: what was said goes in, evidence comes back.')
    .version(mnemisVersion())
    .showHelpAfterError('Run mnemis --help to see the commands.')
    .addHelpText(
      'after',
      `
Examples:
  mnemis demo                                          see it work on a bundled conversation
  mnemis import chat.jsonl --format jsonl              remember a file of turns
  mnemis ask "Where does Nora live now?"               an answer with citations
  mnemis search "owl drawings" --json                  ranked evidence for a program`,
    );
  for (const command of [
    importCommand,
    searchCommand,
    askCommand,
    statsCommand,
    exportCommand,
    restoreCommand,
    evalCommand,
    configCommand,
    doctorCommand,
    demoCommand,
  ])
    program.addCommand(command(terminal));
  for (const command of [program, ...program.commands, ...program.commands.flatMap((sub) => sub.commands)])
    command.exitOverride().configureOutput({
      writeOut: (text) => void terminal.stdout.write(text),
      writeErr: (text) => void terminal.stderr.write(text),
    });
  return program;
}

function isCancel(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'cancelled';
}
