import { resolve } from 'node:path';
import { Command } from 'commander';
import { InvalidChangeError, MnemisError } from '../../../src/errors/index.ts';
import type { Terminal } from '../console.ts';
import { type CommonFlags, commonFlags, withMemory } from '../with-memory.ts';

export function restoreCommand(terminal: Terminal): Command {
  return commonFlags(new Command('restore'))
    .description('Read what "export" wrote into a scope. Rows that are there already are skipped.')
    .argument('<file>', 'an export')
    .option('--new-ids', 'give every row a new id, to copy a scope inside one file')
    .action(async (file: string, { newIds, ...flags }: CommonFlags & { newIds?: boolean }) =>
      withMemory(terminal, { ...flags, access: 'writes' }, async ({ memory, config, console, signal }) => {
        const summary = await memory
          .importFrom(resolve(terminal.cwd(), file), { signal, newIds: newIds === true })
          .catch((error: unknown) => {
            throw newIds === true ? error : withAdvice(error);
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

/** Ids are unique in a file, so the rows of one of its scopes cannot go into another under the same ids. */
function withAdvice(error: unknown): unknown {
  if (!InvalidChangeError.isInstance(error)) return error;
  const message = `${error.message} If another scope of this file holds these rows, copy them with --new-ids.`;
  return new MnemisError({ code: error.code, message, cause: error });
}
