import { access, constants } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Command } from 'commander';
import { type ImportCounts, NO_TURNS } from '../../../src/engine/import-turns.ts';
import { CancelledError } from '../../../src/errors/index.ts';
import { IMPORTERS, importerNamed } from '../../../src/importers/registry.ts';
import { unreadable } from '../../../src/importers/unreadable.ts';
import { CommandFailed, type Terminal } from '../console.ts';
import { startProgress } from '../progress.ts';
import { type CommonFlags, commonFlags, type MemoryCommand, withMemory } from '../with-memory.ts';

/** More rejected records than this are counted, not printed. */
const REJECTIONS_SHOWN = 20;

interface ImportReport extends ImportCounts {
  readonly file: string;
  readonly format: string;
  readonly seconds: number;
  readonly turnsPerSecond: number;
  readonly rejections: readonly { readonly where: string; readonly reason: string }[];
}

export function importCommand(terminal: Terminal): Command {
  const formats = IMPORTERS.map(({ name, description }) => `  ${name.padEnd(14)}${description}`);
  return commonFlags(new Command('import'))
    .description('Remember the turns of a file. Run again after a break, it goes on where it stopped.')
    .argument('<file>', 'the file to read')
    .requiredOption('--format <name>', `one of: ${IMPORTERS.map(({ name }) => name).join(', ')}`)
    .addHelpText('after', `\nFormats:\n${formats.join('\n')}`)
    .action(async (file: string, { format, ...flags }: CommonFlags & { format: string }) => {
      const importer = importerNamed(format);
      const path = resolve(terminal.cwd(), file);
      await access(path, constants.R_OK).catch((cause: unknown) => {
        throw unreadable(path, cause); // before a memory is made for it
      });
      await withMemory(terminal, { ...flags, access: 'writes' }, async (command) => {
        const report = await runImport(command, importer, path);
        command.console.result(report, () => describe(report, command));
        if (report.read > 0 && report.read === report.rejected) throw new CommandFailed();
      });
    });
}

async function runImport(
  { memory, console, signal }: MemoryCommand,
  importer: ReturnType<typeof importerNamed>,
  file: string,
): Promise<ImportReport> {
  const rejections: { where: string; reason: string }[] = [];
  let counts = NO_TURNS;
  let seconds = 0;
  let share = 0;
  const progress = startProgress(console, 'Importing', 100);
  const records = importer.read(file, {
    signal,
    onProgress: ({ done, total }) => {
      share = total === null || total === 0 ? 0 : (100 * done) / total;
    },
  });
  try {
    for await (const event of memory.import(records, { signal })) {
      if (event.type === 'rejected') {
        rejections.push({ where: event.where, reason: event.reason });
        continue;
      }
      ({ counts, seconds } = event);
      progress.update(share, `${counts.read} turns, ${Math.round(counts.read / seconds)}/s`);
    }
  } catch (error) {
    // The reader, which may notice first, cannot know what was stored.
    if (!CancelledError.isInstance(error)) throw error;
    const kept = counted(counts.added + counts.superseding, 'turn');
    throw new CancelledError(`${kept} stored and kept; import the same file again to go on`, error);
  } finally {
    progress.stop(); // before any other line: a bar would be torn apart
    for (const { where, reason } of rejections.slice(0, REJECTIONS_SHOWN))
      console.note(`${where}: ${reason}; left out`);
    const hidden = rejections.length - REJECTIONS_SHOWN;
    if (hidden > 0) console.note(`${hidden} more were left out; --json lists them all`);
  }
  return {
    file,
    format: importer.name,
    ...counts,
    seconds: Math.round(seconds * 1000) / 1000,
    turnsPerSecond: seconds === 0 ? 0 : Math.round((counts.read / seconds) * 10) / 10,
    rejections,
  };
}

function describe(report: ImportReport, { config, console }: MemoryCommand): string[] {
  const parts = [
    `${report.added} new`,
    `${report.known} already known`,
    ...(report.superseding > 0 ? [`${report.superseding} new versions`] : []),
    ...(report.rejected > 0 ? [console.style('yellow', `${report.rejected} left out`)] : []),
  ];
  return [
    `${counted(report.read, 'turn')} read into scope "${config.scope}": ${parts.join(', ')}`,
    `${counted(report.entities, 'new entity', 'new entities')} and ${counted(report.facts, 'new fact')} in ${report.seconds.toFixed(1)} s (${report.turnsPerSecond} turns/s)`,
    ...(report.read === 0 ? [console.style('yellow', 'The file holds no turns.')] : []),
  ];
}

function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
