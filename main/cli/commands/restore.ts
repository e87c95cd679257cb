import { resolve } from 'node:path';
import { Command } from 'commander';
import type { Terminal } from '../console.ts';
import { type CommonFlags, commonFlags, withMemory } from '../with-memory.ts';

export function restoreCommand(terminal: Terminal): Command {
  return commonFlags(new Command('restore'))
    .description('Read what "export" wrote into a scope. Rows that are there already are skipped.')
    .argument('<file>', 'an export')
    .option('--new-ids', 'give every row a new id, to copy a scope inside one file')
    .action(async (file: string, { newIds, ...flags }: CommonFlags & { newIds?: boolean }) =>
      withMemory(terminal, flags, async ({ memory, config, console, signal }) => {
        const summary = await memory.importFrom(resolve(terminal.cwd(), file), {
          signal,
          newIds: newIds === true,
        });
        console.result(
          summary,
          () =>
            `Restored ${summary.nodes} rows and ${summary.relationships} relationships into scope "${config.scope}"` +
            (summary.skipped > 0 ? `; ${summary.skipped} were there already` : ''),
        );
      }),
    );
}
