import { resolve } from 'node:path';
import { Command } from 'commander';
import { EmbeddingMismatchError } from '../../../src/errors/index.ts';
import type { RepairReport } from '../../../src/files/backup/repair.ts';
import { isDatabaseUrl, withoutPassword } from '../../../src/util/database-url.ts';
import { UsageError } from '../../errors.ts';
import { type CommandConsole, CommandFailed, counted, megabytes, type Terminal } from '../console.ts';
import { type CommonFlags, memoryFlags } from '../flags.ts';
import { type MemoryCommand, settingsOf, withMemory, withMemoryFile } from '../run-command.ts';
import { describeFinding } from './verify.ts';

interface RepairFlags extends Omit<CommonFlags, 'scope'> {
  readonly dryRun?: boolean;
  /** False for `--no-backup`. */
  readonly backup?: string | false;
  readonly abandonMove?: boolean;
  readonly cutLog?: boolean;
}

export function repairCommand(terminal: Terminal): Command {
  return memoryFlags(new Command('repair'))
    .description(
      'Repair what "verify" finds, after a backup if rows will change, and list what remains and how to fix it.',
    )
    .option('--dry-run', 'only report what would be repaired')
    .option('--backup <folder>', 'the folder of that backup (default: next to the memory, named by the time)')
    .option('--no-backup', 'make no backup')
    .option('--cut-log', 'open a Kùzu file whose log is damaged up to the break, and say what is lost')
    .option('--abandon-move', 'abort an unfinished move to another embedder')
    .action(async ({ dryRun = false, backup, abandonMove = false, cutLog, ...flags }: RepairFlags) => {
      if (cutLog === true) {
        if (dryRun || abandonMove || backup === false || typeof backup === 'string')
          throw new UsageError(
            '--cut-log stands alone: it keeps the damaged files, and repairs nothing else.',
          );
        return cutLogOf(terminal, flags);
      }
      const place = typeof backup === 'string' ? { backup: resolve(terminal.cwd(), backup) } : {};
      if (!dryRun && backup !== false) refuseWithoutBackup(terminal, flags);
      const options = { ...(backup === false ? { backup } : place), abandonMove };
      if (dryRun) {
        const { path, json = false } = flags;
        const file = { ...(path === undefined ? {} : { path }), json };
        await withMemoryFile(terminal, file, async (command) => {
          const { planRepairOf } = await import('../../../src/files/backup/verify.ts');
          const report = await planRepairOf(command.path, { ...options, signal: command.signal });
          show({ path: withoutPassword(command.path), ...report }, command.console);
        });
        return;
      }
      const run = async ({ engine, config, console, signal }: MemoryCommand) =>
        show(
          { path: withoutPassword(config.path), ...(await engine.repair({ ...options, signal })) },
          console,
        );
      try {
        await withMemory(terminal, { ...flags, access: 'reads' }, run);
      } catch (error) {
        // Rows can be repaired without an embedder; findings that need one remain.
        if (!EmbeddingMismatchError.isInstance(error)) throw error;
        await withMemory(terminal, { ...flags, access: 'reads', purpose: 'count' }, run);
      }
    });
}

async function cutLogOf(terminal: Terminal, { path, json = false }: CommonFlags): Promise<void> {
  const file = { ...(path === undefined ? {} : { path }), json };
  await withMemoryFile(terminal, file, async (command) => {
    const { cutLog } = await import('../../../src/files/backup/cut-log.ts');
    const { runProbe } = await import('../doctor/run-probe.ts');
    const opens = async (copy: string) =>
      (await runProbe({ ask: 'memory', path: copy }, { terminal })).answer === 'memory';
    const report = await cutLog(command.path, { opens });
    const { kept, lost, altered, turns, scopes } = report;
    command.console.result({ path: command.path, ...report }, () => [
      `${command.console.style('bold', command.path)}: opened up to the break in its log`,
      lost === null
        ? 'How much is lost is not known: the newest changes.'
        : `Lost: ${lost.commits} of ${counted(lost.of, 'commit')}, the newest.`,
      ...(altered
        ? ['Bytes in the log were changed: a text or a number before the break may be wrong.']
        : []),
      `It holds ${counted(turns, 'turn')} in ${counted(scopes, 'scope')}. "mnemis verify" checks them.`,
      `The damaged files are kept in ${kept}`,
      'Forgetting does not reach them: delete the folder when you no longer need it.',
    ]);
  });
}

/** @throws UsageError for a memory on a database server, of which mnemis makes no backup. */
function refuseWithoutBackup(terminal: Terminal, flags: CommonFlags): void {
  if (isDatabaseUrl(settingsOf(terminal, flags).values.path))
    throw new UsageError(
      'Nothing was repaired: mnemis makes no backup of a memory on a database server. Make one with pg_dump, then run again with --no-backup; --dry-run shows what would be repaired.',
    );
}

function show(report: RepairReport & { readonly path: string }, console: CommandConsole): void {
  const { path, dryRun, sound, mended, left, backup } = report;
  console.result(report, () => [
    `${console.style('bold', path)}: ${sound ? 'sound' : console.style('red', 'not sound')}${dryRun && mended.length > 0 ? ', if it were repaired' : ''}`,
    ...(backup === null ? [] : [`Backup made in ${backup.folder}: ${megabytes(backup.bytes)}`]),
    ...(mended.length + left.length === 0 ? ['Nothing to repair.'] : []),
    ...(mended.length === 0
      ? []
      : [`${dryRun ? 'Would repair' : 'Repaired'} ${counted(mended.length, 'finding')}:`]),
    ...mended.map(({ scope, what }) => `  ${scope === null ? '' : `scope "${scope}": `}${what}`),
    ...(left.length === 0 ? [] : [`${counted(left.length, 'finding')} left:`]),
    ...left.flatMap(describeFinding),
  ]);
  if (!sound) throw new CommandFailed();
}
