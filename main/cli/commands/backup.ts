import { resolve } from 'node:path';
import { Command } from 'commander';
import { counted, megabytes, type Terminal } from '../console.ts';
import { type FileFlags, fileFlags } from '../flags.ts';
import { withMemoryFile } from '../run-command.ts';

export function backupCommand(terminal: Terminal): Command {
  return fileFlags(new Command('backup'))
    .description(
      'Copy a whole memory, all its scopes, into a new folder with checksums ("restore" reads it).',
    )
    .argument('<folder>', 'the folder to make; none may be there yet')
    .action(async (folder: string, flags: FileFlags) =>
      withMemoryFile(terminal, flags, async ({ path, console, signal }) => {
        const { backupFile } = await import('../../../src/engine/backup/compact.ts');
        const summary = await backupFile(path, resolve(terminal.cwd(), folder), { signal });
        console.result(summary, () => [
          `Backed up ${counted(summary.scopes, 'scope')} to ${summary.folder}: ${counted(summary.files, 'file')}, ${megabytes(summary.bytes)}`,
          ...summary.unfinishedForgetting.map(
            (scope) =>
              `A forgetting in scope "${scope}" has not ended; the backup holds what is left of it, and completes it when it is opened`,
          ),
        ]);
      }),
    );
}
