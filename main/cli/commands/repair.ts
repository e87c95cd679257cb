import { resolve } from 'node:path';
import { Command } from 'commander';
import type { RepairReport } from '../../../src/engine/backup/repair.ts';
import { EmbeddingMismatchError } from '../../../src/errors/index.ts';
import { type CommandConsole, CommandFailed, counted, megabytes, type Terminal } from '../console.ts';
import { type CommonFlags, memoryFlags } from '../flags.ts';
import { type MemoryCommand, withMemory, withMemoryFile } from '../run-command.ts';
import { describeFinding } from './verify.ts';

interface RepairFlags extends Omit<CommonFlags, 'scope'> {
  readonly dryRun?: boolean;
  /** False for `--no-backup`. */
  readonly backup?: string | false;
  readonly abandonMove?: boolean;
}

export function repairCommand(terminal: Terminal): Command {
  return memoryFlags(new Command('repair'))
    .description(
      'Mend what "verify" finds, after a backup if rows are to be changed, and say what is left and what to do.',
    )
    .option('--dry-run', 'only say what would be mended')
    .option('--backup <folder>', 'the folder of that backup (default: beside the memory, with the time)')
    .option('--no-backup', 'make none')
    .option('--abandon-move', 'give up a move to another embedder that was begun')
    .action(async ({ dryRun = false, backup, abandonMove = false, ...flags }: RepairFlags) => {
      const place = typeof backup === 'string' ? { backup: resolve(terminal.cwd(), backup) } : {};
      const options = { ...(backup === false ? { backup } : place), abandonMove };
      if (dryRun) {
        const { path, json = false } = flags;
        const file = { ...(path === undefined ? {} : { path }), json };
        await withMemoryFile(terminal, file, async (command) => {
          const { planRepairOf } = await import('../../../src/engine/backup/verify.ts');
          const report = await planRepairOf(command.path, { ...options, signal: command.signal });
          show({ path: command.path, ...report }, command.console);
        });
        return;
      }
      const run = async ({ engine, config, console, signal }: MemoryCommand) =>
        show({ path: config.path, ...(await engine.repair({ ...options, signal })) }, console);
      try {
        await withMemory(terminal, { ...flags, access: 'reads' }, run);
      } catch (error) {
        // Rows can be mended with no embedder; what needs one is then among what is left.
        if (!EmbeddingMismatchError.isInstance(error)) throw error;
        await withMemory(terminal, { ...flags, access: 'reads', purpose: 'count' }, run);
      }
    });
}

function show(report: RepairReport & { readonly path: string }, console: CommandConsole): void {
  const { path, dryRun, sound, mended, left, backup } = report;
  console.result(report, () => [
    `${console.style('bold', path)}: ${sound ? 'sound' : console.style('red', 'not sound')}${dryRun ? ', if it were repaired' : ''}`,
    ...(backup === null ? [] : [`Backed up before to ${backup.folder}: ${megabytes(backup.bytes)}`]),
    ...(mended.length + left.length === 0 ? ['Nothing to mend.'] : []),
    ...(mended.length === 0
      ? []
      : [`${dryRun ? 'Would mend' : 'Mended'} ${counted(mended.length, 'finding')}:`]),
    ...mended.map(({ scope, what }) => `  ${scope === null ? '' : `scope "${scope}": `}${what}`),
    ...(left.length === 0 ? [] : [`${counted(left.length, 'finding')} left:`]),
    ...left.flatMap(describeFinding),
  ]);
  if (!sound) throw new CommandFailed();
}
