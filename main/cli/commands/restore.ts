import { resolve } from 'node:path';
import { Command } from 'commander';
import { InvalidInputError } from '../../../src/errors/index.ts';
import { besideMemory } from '../../beside-memory.ts';
import { UsageError } from '../../errors.ts';
import { counted, type Terminal } from '../console.ts';
import { type CommonFlags, commonFlags } from '../flags.ts';
import { withMemory, withMemoryFile } from '../run-command.ts';

type RestoreFlags = CommonFlags & { readonly newIds?: boolean; readonly replace?: boolean };

export function restoreCommand(terminal: Terminal): Command {
  return commonFlags(new Command('restore'))
    .description('Read an export into a scope (existing rows are skipped), or restore a backup.')
    .argument('<source>', 'the file of an export, or the folder of a backup')
    .option('--new-ids', 'for an export: give every row a new id, to copy a scope within one memory')
    .option('--replace', 'for a backup: replace an existing memory')
    .action(async (source: string, flags: RestoreFlags) => {
      const path = resolve(terminal.cwd(), source);
      const { isBackup } = await import('../../../src/files/backup/restore-backup.ts');
      if (await isBackup(path)) await restoreWhole(terminal, path, flags);
      else await restoreScope(terminal, path, flags);
    });
}

async function restoreWhole(terminal: Terminal, source: string, flags: RestoreFlags): Promise<void> {
  const { newIds, scope, replace = false, path: target, json = false } = flags;
  if (newIds || scope !== undefined)
    throw new UsageError('--new-ids and --scope apply to exports only: a backup holds whole scopes.');
  const place = target === undefined ? {} : { path: target };
  await withMemoryFile(terminal, { ...place, json, isMade: true }, async ({ path, console, signal }) => {
    const { restoreBackup } = await import('../../../src/files/backup/restore-backup.ts');
    const { addConversationsTo, checkConversationsFor, conversationsOf } = await import(
      '../../assistant/store/conversation-archive.ts'
    );
    const conversations = await conversationsOf(source);
    if (conversations !== null) await checkConversationsFor(path, conversations);
    const summary = await restoreBackup(source, path, { replace, signal }).catch((error: unknown) => {
      throw asFlags(error, { replace: '--replace' });
    });
    // What was forgotten since comes back with its turns.
    if (conversations !== null) await addConversationsTo(summary.path, conversations, { bringsBack: true });
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
  if (replace) throw new UsageError('--replace applies to backups only: an export is read into a scope.');
  await withMemory(
    terminal,
    { ...flags, access: 'writes' },
    async ({ memory, store, config, console, signal }) => {
      const { addConversations, addConversationsTo, conversationsIn } = await import(
        '../../assistant/store/conversation-archive.ts'
      );
      // With new ids, the conversations would not know their turns. They are checked before anything is stored.
      const copy = newIds === true ? null : await conversationsIn(file);
      const { forgottenTurns, ...summary } = await memory
        .importFrom(file, { signal, newIds: newIds === true })
        .catch((error: unknown) => {
          throw asFlags(error, { newIds: '--new-ids' });
        });
      const options = { scope: config.scope, gone: forgottenTurns };
      if (copy !== null && store !== null) addConversations(store, copy, options);
      else if (copy !== null && copy.rows.conversation.length > 0)
        await addConversationsTo(besideMemory(config.path, terminal.env), copy, options);
      console.result(
        summary,
        () =>
          `Restored ${summary.nodes} rows and ${summary.relationships} relationships into scope "${config.scope}"` +
          (summary.skipped > 0 ? `; skipped ${summary.skipped} existing rows` : '') +
          (summary.forgotten > 0
            ? `; skipped ${summary.forgotten} turns that were forgotten in this scope`
            : ''),
      );
    },
  );
}

/** Replaces the library's option names in a message by flags. */
function asFlags(error: unknown, options: Readonly<Record<string, string>>): unknown {
  if (!InvalidInputError.isInstance(error)) return error;
  const named = Object.entries(options).find(([option]) => error.what.includes(`option ${option}`));
  if (named === undefined) return error;
  const [option, flag] = named;
  return new InvalidInputError(error.what.replace(`the option ${option}`, flag), error);
}
