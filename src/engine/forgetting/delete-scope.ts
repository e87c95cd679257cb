import type { ForgetEvent, ForgetProof, ForgetReport } from '../../edit/forget/forget-event.ts';
import { removalsOfAll } from '../../edit/forget/remove-everything.ts';
import type { IngestContext } from '../../ingest/ingest-context.ts';
import type { CallOptions } from '../../model/call-options.ts';
import { collect } from '../../util/collections.ts';
import type { OpenScopes } from '../open-scopes.ts';
import { Run } from '../run.ts';
import type { ScopeSession } from '../scope-session.ts';
import { forget } from './forget.ts';

/** Of one commit. */
const ROWS_PER_COMMIT = 500;

/** Removes a whole scope, and lets go of its object when nothing of it is left. */
export function deleteScope(
  session: ScopeSession,
  scopes: OpenScopes,
  { signal }: CallOptions,
): Run<ForgetEvent, ForgetReport> {
  return new Run((stop) => deleteInSteps(session, scopes, stop), signal);
}

async function* deleteInSteps(
  session: ScopeSession,
  scopes: OpenScopes,
  signal: AbortSignal,
): AsyncGenerator<ForgetEvent> {
  for await (const event of forget(session, { all: true }, { signal })) {
    if (event.type === 'done') {
      await session.stopWork();
      await session.write((context) => removeName(session, context), { alone: true });
      session.sharing.noteSeen(null);
      scopes.remove(session);
      yield { ...event, proof: await withName(session, event.proof) };
    } else yield event;
  }
}

/** Removes what forgetting keeps, and turns that were added since. */
async function removeName(session: ScopeSession, { store, scope }: IngestContext): Promise<void> {
  const options = { keep: '', until: Number.POSITIVE_INFINITY, rows: ROWS_PER_COMMIT };
  for await (const { changes } of removalsOfAll({ store, scope }, options))
    await store.commit(scope, changes);
  const tombstones = await collect(store.scan(scope, 'tombstone', ['id']));
  for (let start = 0; start < tombstones.length; start += ROWS_PER_COMMIT) {
    const some = tombstones.slice(start, start + ROWS_PER_COMMIT);
    await store.commit(scope, { removals: some.map(({ id }) => ({ kind: 'tombstone', id })) });
  }
  session.readings?.clear();
  await session.dropCopies();
  store.dropCaches(scope);
  await store.removeScope(scope);
  session.end();
}

async function withName({ store, scope }: ScopeSession, proof: ForgetProof): Promise<ForgetProof> {
  const isListed = (await store.scopes()).includes(scope);
  if (!isListed) return { ...proof, searched: proof.searched + 1 };
  return {
    ...proof,
    clean: false,
    searched: proof.searched + 1,
    findings: [...proof.findings, { holder: 'graph', where: 'scope', texts: 1 }],
  };
}
