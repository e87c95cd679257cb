import { resolve } from 'node:path';
import { Command } from 'commander';
import type { ImportCounts } from '../../../src/engine/import-turns.ts';
import { IMPORTERS, importerNamed } from '../../../src/importers/registry.ts';
import { CommandFailed, type Terminal } from '../console.ts';
import { startProgress } from '../progress.ts';
import { type CommonFlags, commonFlags, type MemoryCommand, withMemory } from '../with-memory.ts';

/** More rejected records than this are counted, not printed. */
const REJECTIONS_SHOWN = 20;

const NOTHING: ImportCounts = {
  read: 0,
  added: 0,
  known: 0,
  superseding: 0,
  rejected: 0,
  entities: 0,
  facts: 0,
};

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
      await withMemory(terminal, flags, async (command) => {
        const report = await runImport(command, importer, resolve(terminal.cwd(), file));
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
  let counts = NOTHING;
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
        if (rejections.length <= REJECTIONS_SHOWN) console.note(`${event.where}: ${event.reason}; left out`);
        continue;
      }
      ({ counts, seconds } = event);
      progress.update(share, `${counts.read} turns, ${Math.round(counts.read / seconds)}/s`);
    }
  } finally {
    progress.stop();
  }
  return {
    file,
    format: importer.name,
    ...counts,
    seconds,
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
  const hidden = report.rejections.length - REJECTIONS_SHOWN;
  return [
    `${report.read} turns read into scope "${config.scope}": ${parts.join(', ')}`,
    `${report.entities} new entities and ${report.facts} new facts in ${report.seconds.toFixed(1)} s (${report.turnsPerSecond} turns/s)`,
    ...(hidden > 0 ? [`${hidden} more were left out; --json lists them all`] : []),
    ...(report.read === 0 ? [console.style('yellow', 'The file holds no turns.')] : []),
  ];
}
