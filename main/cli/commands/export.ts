import { resolve } from 'node:path';
import { Command } from 'commander';
import type { Terminal } from '../console.ts';
import { type CommonFlags, commonFlags } from '../flags.ts';
import { withClient } from '../run-command.ts';
import { receiveExport } from './receive-export.ts';

export function exportCommand(terminal: Terminal): Command {
  return commonFlags(new Command('export'))
    .description('Write a whole scope as JSON lines (docs/export-format.md).')
    .argument('<file>', 'the file to write; one that is there is replaced when the export is complete')
    .action(async (file: string, flags: CommonFlags) =>
      withClient(
        terminal,
        { ...flags, access: 'reads', purpose: 'count' },
        async ({ client, memory, config, console, signal }) => {
          const path = resolve(terminal.cwd(), file);
          const summary =
            memory === null
              ? await receiveExport(client.export({ scope: config.scope }, { signal }), path, signal)
              : await memory.exportTo(path, { signal });
          console.result(
            summary,
            () => `Wrote ${summary.nodes} rows and ${summary.relationships} relationships to ${summary.file}`,
          );
        },
      ),
    );
}
