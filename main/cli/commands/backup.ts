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
    .argument('<folder>', 'the folder to create; it must not exist')
    .action(async (folder: string, flags: FileFlags) =>
      withMemoryFile(terminal, flags, async ({ path, console, signal }) => {
        const { backupFile } = await import('../../../src/engine/backup/compact.ts');
        const summary = await backupFile(path, resolve(terminal.cwd(), folder), { signal });
        console.result(summary, () => [
          `Backed up ${counted(summary.scopes, 'scope')} to ${summary.folder}: ${counted(summary.files, 'file')}, ${megabytes(summary.bytes)}`,
          ...summary.unfinishedForgetting.map(
            (scope) =>
              `Forgetting in scope "${scope}" is not complete; the backup still holds rows to be removed and removes them when it is opened`,
          ),
        ]);
      }),
    );
}
