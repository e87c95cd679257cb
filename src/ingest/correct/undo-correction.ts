import { InvalidInputError } from '../../errors/index.ts';
import type { GraphChanges } from '../../model/graph-changes.ts';
import type { Correction, Fact, Profile } from '../../model/nodes.ts';
import { entityNameKey } from '../../util/tidy.ts';
import { ENTITY_KINDS } from '../extract/extractor.ts';
import type { IngestContext } from '../ingest-context.ts';
import { edgesOf } from './change-facts.ts';
import { CorrectionBook } from './correction-book.ts';
import { type CorrectionDetail, type DetailOfKind, readDetail, writeDetail } from './correction-detail.ts';
import { type CorrectionEvent, correctionRow } from './draft.ts';
import { NO_JOURNAL, type RowBefore } from './journal.ts';
import { ProfileVersions, versionsByHand } from './profile-versions.ts';
import { tellEntity } from './tell-entity.ts';
import { UndoDraft } from './undo-draft.ts';
import { undoMerge } from './undo-merge.ts';
import { undoSplit } from './undo-split.ts';

/**
 * Takes a correction back to the rows of before. What was read since and stands on its rows goes back with it: new
 * evidence to the former fact, new mentions to whom they mean. A profile that was written since is history; another
 * one follows it.
 *
 * The index cannot follow it: build that anew from the graph.
 *
 * @throws InvalidInputError for a correction whose detail cannot be read.
 */
export async function undoCorrection(
  context: IngestContext,
  undone: Correction,
  event: CorrectionEvent,
): Promise<GraphChanges> {
  const detail = readDetail(undone);
  if (detail === null || detail.kind === 'undo') throw new InvalidInputError('This cannot be undone');
  const draft = new UndoDraft();
  for (const { kind, id } of detail.journal.created) if (kind !== 'profile') draft.remove(kind, id);
  if (detail.kind === 'edit-fact') await passOn(context, draft, detail);
  if (detail.kind === 'merge-entities') await undoMerge(context, draft, { detail, undone });
  else {
    for (const edge of detail.journal.linked) draft.unlink(edge);
    if (detail.kind === 'split-entity') await undoSplit(context, draft, detail);
    else for (const edge of detail.journal.unlinked) draft.link(edge);
  }
  await restoreFacts(context, draft, detail);
  await restoreProfiles(context, draft, { detail, undone, event });
  const said = writeDetail({ kind: 'undo', correction: undone.id }, { ...NO_JOURNAL, ...draft.retold });
  return draft.finish(context, {
    events: [correctionRow(event, 'undo', said)],
    undone: { kind: 'correction', id: undone.id, set: { undoneAt: event.at } },
  });
}

/** What has come to rest on the edited row since. */
async function passOn(
  context: IngestContext,
  draft: UndoDraft,
  { made, fact: { id: old }, journal }: DetailOfKind<'edit-fact'>,
): Promise<void> {
  const known = new Set(journal.linked.map(({ kind, from, to }) => `${kind} ${from} ${to}`));
  const since = [
    ...(await edgesOf(context, 'EVIDENCED_BY', { from: [made] })),
    ...(await edgesOf(context, 'SUPERSEDES', { from: [made] })),
    ...(await edgesOf(context, 'SUPERSEDES', { to: [made] })),
  ].filter(({ kind, from, to }) => !known.has(`${kind} ${from} ${to}`));
  for (const edge of since) draft.link(edge.from === made ? { ...edge, from: old } : { ...edge, to: old });
}

async function restoreFacts(
  context: IngestContext,
  draft: UndoDraft,
  detail: CorrectionDetail,
): Promise<void> {
  const { store, scope } = context;
  const before = detail.journal.before.filter(({ kind }) => kind === 'fact');
  const rows = await store.get(
    scope,
    'fact',
    before.map(({ id }) => id),
  );
  const byId = new Map<string, Fact>(rows.map((row) => [row.id, row]));
  for (const each of before) {
    const row = byId.get(each.id);
    if (row === undefined) continue;
    if (each.invalidAt !== undefined) draft.update('fact', row.id, { invalidAt: endBefore(row, each) });
    if (each.expiredAt === undefined) continue;
    const isHeld = await isBorneOut(context, draft, row.id);
    if (isHeld) draft.update('fact', row.id, { expiredAt: each.expiredAt });
  }
  if (detail.kind === 'edit-fact')
    await passOnTimes(context, draft, { detail, old: byId.get(detail.fact.id) });
}

/** An end that came since stays, if it is the earlier one. */
function endBefore({ invalidAt }: Fact, { invalidAt: before = null, set = null }: RowBefore): number | null {
  if (invalidAt === set || invalidAt === null) return before;
  return before === null ? invalidAt : Math.min(before, invalidAt);
}

/** Whether a turn that still stands says it; what was given without one does for itself. */
async function isBorneOut(context: IngestContext, draft: UndoDraft, fact: string): Promise<boolean> {
  const edges = await edgesOf(context, 'EVIDENCED_BY', { from: [fact] });
  const turns = [...edges.map(({ to }) => to), ...draft.newEvidenceOf(fact)];
  const rows = await context.store.get(context.scope, 'episode', [...new Set(turns)]);
  return turns.length === 0 || rows.some(({ expiredAt }) => expiredAt === null);
}

/** If the edited row has ended or gone since, so does the former one. */
async function passOnTimes(
  { store, scope }: IngestContext,
  draft: UndoDraft,
  { detail, old }: { detail: DetailOfKind<'edit-fact'>; old: Fact | undefined },
): Promise<void> {
  const [made] = await store.get(scope, 'fact', [detail.made]);
  if (made === undefined || old === undefined) return;
  const { patch } = detail;
  const asMade = patch.invalidAt === undefined ? old.invalidAt : patch.invalidAt;
  if (made.invalidAt !== asMade) draft.update('fact', old.id, { invalidAt: made.invalidAt });
  if (made.expiredAt !== null) draft.update('fact', old.id, { expiredAt: made.expiredAt });
}

async function restoreProfiles(
  context: IngestContext,
  draft: UndoDraft,
  { detail, undone, event }: { detail: CorrectionDetail; undone: Correction; event: CorrectionEvent },
): Promise<void> {
  const { store, scope, index } = context;
  const rowsOf = (ids: readonly string[]) => store.get(scope, 'profile', ids);
  const created = await rowsOf(
    detail.journal.created.flatMap(({ kind, id }) => (kind === 'profile' ? [id] : [])),
  );
  const former = await rowsOf(
    detail.journal.before.flatMap(({ kind, id }) => (kind === 'profile' ? [id] : [])),
  );
  const byOwner = new Map<string, Profile>(created.map((row) => [row.owner, row]));
  const versions = await versionsByHand(context);
  for (const before of former) {
    const [made, current] = [byOwner.get(before.owner), index.entities.profileOf(before.owner)];
    const isNewest = made === undefined ? current === undefined : current?.id === made.id;
    const then = new ProfileVersions(index.rulings.corrections, versions, before.owner);
    const back = then.without(undone.id, current?.id ?? before.id, current !== undefined);
    if (!(await draft.isTold(context, before.owner))) {
      // All that told of it was corrected since.
      if (current !== undefined && !isNewest) draft.update('profile', current.id, { expiredAt: event.at });
    } else if (back !== null) {
      if (back.id === current?.id) continue;
      draft.update('profile', back.id, { expiredAt: null });
      if (current !== undefined && !isNewest) draft.update('profile', current.id, { expiredAt: event.at });
    } else await retell(context, draft, { before, made, detail, undone, event });
  }
  const formerOf = new Set<string>(former.map(({ owner }) => owner));
  for (const { id, owner } of created)
    if (index.entities.profileOf(owner)?.id === id || draft.isRemoved(owner) || !formerOf.has(owner))
      draft.remove('profile', id);
}

/** A version after those that were written since, with the names of before and what was learned since. */
async function retell(
  context: IngestContext,
  draft: UndoDraft,
  {
    before,
    made,
    detail,
    undone,
    event,
  }: {
    before: Profile;
    made: Profile | undefined;
    detail: CorrectionDetail;
    undone: Correction;
    event: CorrectionEvent;
  },
): Promise<void> {
  const { index, store, scope } = context;
  const id = before.owner as Parameters<typeof index.factsAbout>[0];
  const current = index.entities.profileOf(id);
  const book = new CorrectionBook(index.rulings.corrections.filter((each) => each.id !== undone.id));
  const isGone = (fact: string) =>
    draft.isRemoved(fact) || (detail.kind === 'merge-entities' && movedFacts(detail).has(fact));
  const facts = new Set<string>(index.factsAbout(id).filter((fact) => !isGone(fact)));
  const back = detail.kind === 'edit-fact' || detail.kind === 'reject-fact' ? detail.fact.id : null;
  if (back !== null) facts.add(back);
  const rows = back === null ? [] : await store.get(scope, 'fact', [back]);
  const profile = await tellEntity(
    context,
    {
      id,
      ...namesAfter(detail, { before, made, current }),
      facts,
      mentions: index.mentionCount(id),
    },
    { at: event.at, book, facts: rows.map((row) => ({ ...row, expiredAt: null })) },
  );
  draft.retell(profile, current && { ...current, expiredAt: event.at });
}

/** What was said of facts leaves names as they are now, and with them what else was put right since. */
function namesAfter(
  { kind }: CorrectionDetail,
  { before, made, current }: { before: Profile; made: Profile | undefined; current: Named | undefined },
): Named {
  const now = current ?? before;
  if (kind === 'edit-fact' || kind === 'reject-fact')
    return { name: now.name, aliases: now.aliases, tags: now.tags };
  const byHand = new Set(made && [made.name, ...made.aliases].map(entityNameKey));
  const learned = now.aliases.filter((alias) => !byHand.has(entityNameKey(alias)));
  const isKindByHand = made !== undefined && kindOf(made) === kindOf(now);
  return {
    name: before.name,
    aliases: [...before.aliases, ...learned],
    tags: isKindByHand ? before.tags : now.tags,
  };
}

type Named = Pick<Profile, 'name' | 'aliases' | 'tags'>;

function kindOf({ tags }: Named): string | undefined {
  return ENTITY_KINDS.find((kind) => tags.includes(kind));
}

function movedFacts({ journal }: DetailOfKind<'merge-entities'>): ReadonlySet<string> {
  return new Set(journal.linked.filter(({ kind }) => kind === 'ABOUT').map(({ from }) => from));
}
