import { recordOfImport } from '../../edit/forget/records.ts';
import {
  forgottenIn,
  importScope,
  type RestoreOptions,
  type RestoreSummary,
} from '../../files/archive/import-scope.ts';
import type { IngestContext } from '../../ingest/ingest-context.ts';
import type { ScopeSession } from '../scope-session.ts';

/** Reads the output of `exportTo` into a scope. Forgotten turns of the file are removed again. */
export async function restoreArchive(
  session: ScopeSession,
  file: string,
  options: RestoreOptions,
): Promise<RestoreSummary> {
  if (session.isHiding) await session.settle(); // the file may contain hidden rows
  const { feed } = session.engine;
  try {
    return await session.write(
      (context) =>
        feed === undefined
          ? restore(session, context, { file, ...options })
          : feed.asOneEvent(session.scope, 'restored', () => restore(session, context, { file, ...options })),
      { alone: true },
    );
  } finally {
    session.recalled.forget();
    session.items.letGo();
  }
}

/** Forgotten turns of the import are removed again before anybody can read them, even if the import fails. */
async function restore(
  { forgettings, index, scope }: ScopeSession,
  context: IngestContext,
  { file, ...options }: RestoreOptions & { readonly file: string },
): Promise<RestoreSummary> {
  const forgotten = await forgottenIn(context, file, options);
  if (forgotten.length === 0) return importScope(context, file, options);
  const correction = recordOfImport(context, forgotten);
  await context.store.commit(scope, { nodes: { correction: [correction] } });
  forgettings.noteBegin();
  forgettings.noteFailure();
  index.invalidate(); // makes searches wait
  const summary = await importScope(context, file, options);
  await forgettings.settle();
  return { ...summary, forgotten: forgotten.length, forgottenTurns: forgotten.map(({ id }) => id) };
}
