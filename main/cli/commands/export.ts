import { resolve } from 'node:path';
import { Command } from 'commander';
import type { Terminal } from '../console.ts';
import { type CommonFlags, commonFlags, withMemory } from '../with-memory.ts';

export function exportCommand(terminal: Terminal): Command {
  return commonFlags(new Command('export'))
    .description('Write a whole scope as JSON lines (docs/export-format.md).')
    .argument('<file>', 'the file to write; one that is there is replaced when the export is complete')
    .action(async (file: string, flags: CommonFlags) =>
      withMemory(
        terminal,
        { ...flags, access: 'reads', purpose: 'count' },
        async ({ memory, console, signal }) => {
          const summary = await memory.exportTo(resolve(terminal.cwd(), file), { signal });
          console.result(
            summary,
            () => `Wrote ${summary.nodes} rows and ${summary.relationships} relationships to ${summary.file}`,
          );
        },
      ),
    );
}
