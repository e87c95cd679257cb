import { Command } from 'commander';
import type { CompactEvent } from '../../../src/files/backup/compact.ts';
import { withoutPassword } from '../../../src/util/database-url.ts';
import { megabytes, type Terminal } from '../console.ts';
import { type FileFlags, fileFlags } from '../flags.ts';
import { lastEvent } from '../progress.ts';
import { type FileOrEngineCommand, withMemoryFileOrEngine } from '../run-command.ts';

type CompactResult = Extract<CompactEvent, { type: 'done' }>;

export function compactCommand(terminal: Terminal): Command {
  return fileFlags(new Command('compact'))
    .description('Rewrite the memory’s file, so that removed text is erased from the disk.')
    .action(async (flags: FileFlags) =>
      withMemoryFileOrEngine(terminal, flags, async (command) => {
        const { type: _, ...result } = await run(command);
        const report = {
          path: withoutPassword(command.path),
          ...result,
          seconds: Math.round(result.seconds * 1000) / 1000,
        };
        command.console.result(report, () => describe(report));
      }),
    );
}

function describe({ rows, seconds, bytesBefore, bytesAfter }: Omit<CompactResult, 'type'>): string {
  const gained = bytesAfter < bytesBefore ? '' : ' The file had no room to give back.';
  return `Compacted ${rows} rows in ${seconds.toFixed(1)} s: ${megabytes(bytesBefore)} before, ${megabytes(bytesAfter)} now.${gained} Removed text is erased from the memory’s files; backups and exports are unchanged.`;
}

/** Copying fills the first half of the bar, reading the copy back the second. */
async function run({ path, client, console, signal }: FileOrEngineCommand): Promise<CompactResult> {
  const { compactFile } = await import('../../../src/files/backup/compact.ts');
  const events = client === null ? compactFile(path, { signal }) : client.compact({}, { signal });
  return lastEvent(events, {
    console,
    what: 'Compacting',
    show: ({ step, done, total }, progress) => {
      const half = (50 * done) / Math.max(1, total);
      const what = step === 'copy' ? 'copied' : 'checked';
      progress.update(step === 'copy' ? half : 50 + half, `${done} of ${total} rows ${what}`);
    },
  });
}
