import { InvalidInputError } from '../../errors/index.ts';
import { NOTHING_STALE } from '../../ingest/admit/superseded-turns.ts';
import type { FactPatch } from '../../ingest/corrections/correction-detail.ts';
import { refreshProfiles } from '../../ingest/describe/refresh-profiles.ts';
import type { IngestContext } from '../../ingest/ingest-context.ts';
import { LocalFallback } from '../../ingest/local-fallback.ts';
import { supersedeFacts } from '../../ingest/supersede/supersede-facts.ts';
import { namesOfEntities } from '../../ingest/supersede/view-facts.ts';
import type { FactId } from '../../model/ids.ts';
import type { Fact } from '../../model/nodes.ts';
import type { Relationship } from '../../model/relationships.ts';
import { edgesOf } from '../../store/graph-store.ts';
import { endBy } from '../../util/validity.ts';
import { replaceProfiles } from './build-profile.ts';
import type { CorrectionDraft } from './draft.ts';

/**
 * Writes a new row with the patched values. It takes over the participants, the evidence and the SUPERSEDES edges of
 * the old row. The old row expires; the new one supersedes it.
 */
export async function editFact(
  context: IngestContext,
  draft: CorrectionDraft,
  { old, patch, made }: { old: Fact; patch: FactPatch; made: FactId },
): Promise<void> {
  const { at } = draft.event;
  const given = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined));
  const statedEnd = patch.invalidAt === undefined ? old.statedEnd : patch.invalidAt;
  const row: Fact = {
    ...old,
    ...given,
    statedEnd,
    id: made,
    origin: 'given',
    createdAt: at,
    expiredAt: null,
  };
  if (row.invalidAt !== null && row.invalidAt < row.validAt)
    throw new InvalidInputError('invalidAt is before validAt: the fact would end before it began');
  draft.create('fact', row);
  draft.expire('fact', old);
  for (const kind of ['ABOUT', 'EVIDENCED_BY'] as const)
    for (const edge of await edgesOf(context, kind, { from: [old.id] })) draft.link({ ...edge, from: made });
  await takeOverEnds(context, draft, { old, row });
  draft.link(supersedes(made, old.id));
  await rebuildProfiles(context, draft, old.id);
}

/** Expires the fact and reopens the facts that it ended. */
export async function rejectFact(
  context: IngestContext,
  draft: CorrectionDraft,
  { fact }: { fact: Fact },
): Promise<void> {
  const { index, store, scope } = context;
  draft.expire('fact', fact);
  const nothingNew = { facts: [], relationships: [], episodes: [] };
  const reopened = await supersedeFacts(
    context,
    { ...nothingNew, namesOf: namesOfEntities(index), expiring: new Set([fact.id]) },
    { superseder: null, fallback: new LocalFallback() },
  );
  const ends = new Map(
    reopened.updates.flatMap(({ kind, id, set }) =>
      kind === 'fact' && set.invalidAt !== undefined ? [[id, set.invalidAt] as const] : [],
    ),
  );
  for (const row of await store.get(scope, 'fact', [...ends.keys()]))
    draft.end(row.id, row.invalidAt, ends.get(row.id)!);
  for (const edge of reopened.relationships) draft.link(edge);
  await rebuildProfiles(context, draft, fact.id);
}

/** Facts that the old row ended stay ended. If the patch changes when the fact began, their end changes with it. */
async function takeOverEnds(
  context: IngestContext,
  draft: CorrectionDraft,
  { old, row }: { old: Fact; row: Fact },
): Promise<void> {
  const { store, scope } = context;
  const newer = await edgesOf(context, 'SUPERSEDES', { to: [old.id] });
  const older = await edgesOf(context, 'SUPERSEDES', { from: [old.id] });
  for (const edge of newer) move(draft, edge, { ...edge, to: row.id });
  for (const edge of older) move(draft, edge, { ...edge, from: row.id });
  if (row.validAt === old.validAt) return;
  const ended = await store.get(
    scope,
    'fact',
    older.map(({ to }) => to),
  );
  for (const { id, validAt, invalidAt, expiredAt } of ended) {
    const isItsEnd = invalidAt === endBy({ validAt }, old);
    if (expiredAt === null && isItsEnd) draft.end(id, invalidAt, endBy({ validAt }, row));
  }
}

/** Rebuilds the profiles of the entities that the fact is about, so that none repeats the corrected statement. */
async function rebuildProfiles(context: IngestContext, draft: CorrectionDraft, gone: FactId): Promise<void> {
  const entities = new Set(context.index.entitiesOf(gone));
  const profiles = await refreshProfiles(context, {
    entities: [],
    facts: draft.created.fact,
    relationships: [...draft.linked.values()],
    now: draft.event.at,
    grownBy: 'MENTIONS',
    stale: { ...NOTHING_STALE, facts: new Set([gone]), entities },
    updates: [...draft.updates.values()].filter(({ kind, id }) => kind === 'fact' && id !== gone),
  });
  await replaceProfiles(context, draft, profiles);
}

function move(draft: CorrectionDraft, before: Relationship, after: Relationship): void {
  draft.unlink(before);
  draft.link(after);
}

export function supersedes(by: string, old: string): Relationship {
  return { kind: 'SUPERSEDES', fromKind: 'fact', from: by, toKind: 'fact', to: old };
}
