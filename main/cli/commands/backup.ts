import { resolve } from 'node:path';
import { Command } from 'commander';
import type { BackupSummary } from '../../../src/files/backup/backup.ts';
import { counted, megabytes, type Terminal } from '../console.ts';
import { type FileFlags, fileFlags } from '../flags.ts';
import { withMemoryFileOrEngine } from '../run-command.ts';

export function backupCommand(terminal: Terminal): Command {
  return fileFlags(new Command('backup'))
    .description(
      'Copy a whole memory, all its scopes and the conversations of the app, into a new folder with checksums ("restore" reads it).',
    )
    .argument('<folder>', 'the folder to create; it must not exist')
    .action(async (folder: string, flags: FileFlags) =>
      withMemoryFileOrEngine(terminal, flags, async ({ path, client, console, signal }) => {
        const target = resolve(terminal.cwd(), folder);
        const summary = client
          ? await client.backup({ folder: target }, { signal })
          : await backupHere(path, target, signal);
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

async function backupHere(path: string, target: string, signal: AbortSignal): Promise<BackupSummary> {
  const { backupFile } = await import('../../../src/files/backup/compact.ts');
  const summary = await backupFile(path, target, { signal });
  const { saveConversationsOf } = await import('../../assistant/store/conversation-archive.ts');
  await saveConversationsOf(path, summary.folder);
  return summary;
}
