import { resolve } from 'node:path';
import { Command } from 'commander';
import { InvalidInputError } from '../../../src/errors/index.ts';
import { UsageError } from '../../errors.ts';
import { counted, type Terminal } from '../console.ts';
import { type CommonFlags, commonFlags } from '../flags.ts';
import { withMemory, withMemoryFile } from '../run-command.ts';

type RestoreFlags = CommonFlags & { readonly newIds?: boolean; readonly replace?: boolean };

export function restoreCommand(terminal: Terminal): Command {
  return commonFlags(new Command('restore'))
    .description(
      'Read what "export" wrote into a scope: rows that are there already are skipped. Or make a memory of what "backup" wrote.',
    )
    .argument('<source>', 'an export, or the folder of a backup')
    .option('--new-ids', 'of an export: give every row a new id, to copy a scope inside one file')
    .option('--replace', 'of a backup: take the place of a memory that is there')
    .action(async (source: string, flags: RestoreFlags) => {
      const path = resolve(terminal.cwd(), source);
      const { isBackup } = await import('../../../src/engine/backup/restore-backup.ts');
      if (await isBackup(path)) await restoreWhole(terminal, path, flags);
      else await restoreScope(terminal, path, flags);
    });
}

async function restoreWhole(terminal: Terminal, source: string, flags: RestoreFlags): Promise<void> {
  const { newIds, scope, replace = false, path: target, json = false } = flags;
  if (newIds || scope !== undefined)
    throw new UsageError('A backup holds whole scopes: --new-ids and --scope are for exports.');
  const place = target === undefined ? {} : { path: target };
  await withMemoryFile(terminal, { ...place, json, isMade: true }, async ({ path, console, signal }) => {
    const { restoreBackup } = await import('../../../src/engine/backup/restore-backup.ts');
    const summary = await restoreBackup(source, path, { replace, signal }).catch((error: unknown) => {
      throw asFlags(error, { replace: '--replace' });
    });
    console.result(
      summary,
      () =>
        `Restored ${counted(summary.scopes, 'scope')}, ${summary.rows} rows and ${summary.relationships} relationships, as of ${summary.createdAt}, to ${summary.path}`,
    );
  });
}

async function restoreScope(
  terminal: Terminal,
  file: string,
  { newIds, replace, ...flags }: RestoreFlags,
): Promise<void> {
  if (replace) throw new UsageError('An export is read into a scope: --replace is for backups.');
  await withMemory(terminal, { ...flags, access: 'writes' }, async ({ memory, config, console, signal }) => {
    const summary = await memory
      .importFrom(file, { signal, newIds: newIds === true })
      .catch((error: unknown) => {
        throw asFlags(error, { newIds: '--new-ids' });
      });
    console.result(
      summary,
      () =>
        `Restored ${summary.nodes} rows and ${summary.relationships} relationships into scope "${config.scope}"` +
        (summary.skipped > 0 ? `; ${summary.skipped} were there already` : '') +
        (summary.forgotten > 0 ? `; ${summary.forgotten} turns were forgotten here and stay so` : ''),
    );
  });
}

/** What the library calls options are flags here. */
function asFlags(error: unknown, options: Readonly<Record<string, string>>): unknown {
  if (!InvalidInputError.isInstance(error)) return error;
  const named = Object.entries(options).find(([option]) => error.what.includes(`option ${option}`));
  if (named === undefined) return error;
  const [option, flag] = named;
  return new InvalidInputError(error.what.replace(`the option ${option}`, flag), error);
}
