import { InvalidInputError } from '../../errors/index.ts';
import {
  type CorrectionDetail,
  type DetailOfKind,
  readDetail,
} from '../../ingest/corrections/correction-detail.ts';
import { EffectiveCorrections } from '../../ingest/corrections/effective-corrections.ts';
import { NO_JOURNAL, type RowBefore } from '../../ingest/corrections/journal.ts';
import { ENTITY_KINDS } from '../../ingest/extract/extractor.ts';
import type { IngestContext } from '../../ingest/ingest-context.ts';
import type { GraphChanges } from '../../model/graph-changes.ts';
import type { DescriptionId } from '../../model/ids.ts';
import type { Correction, Fact, NodeKind, Profile } from '../../model/nodes.ts';
import type { Relationship } from '../../model/relationships.ts';
import { statementKey } from '../../search/fact-index.ts';
import { edgesOf } from '../../store/graph-store.ts';
import { entityNameKey } from '../../util/tidy.ts';
import { vectorsOf } from '../forget/deletion.ts';
import { buildProfile } from './build-profile.ts';
import { ProfileVersions, versionsByHand } from './dependent-corrections.ts';
import { CorrectionDraft, type CorrectionEvent, edgeKey, pairKey, withoutProperties } from './draft.ts';

/** The changes of an undo. Leaves out rows that were forgotten in the meantime. */
class UndoDraft extends CorrectionDraft {
  /** Whether a live turn mentions the entity or a live fact is about it, once the changes are applied. */
  async hasLiveSource(context: IngestContext, entity: string): Promise<boolean> {
    const { store, scope } = context;
    const turns = await store.get(scope, 'episode', await this.#endsAfter(context, 'MENTIONS', entity));
    if (turns.some(({ expiredAt }) => expiredAt === null)) return true;
    const facts = await store.get(scope, 'fact', await this.#endsAfter(context, 'ABOUT', entity));
    return facts.some(({ id, expiredAt }) => {
      const set = this.updates.get(id)?.set;
      const after = set !== undefined && 'expiredAt' in set ? set.expiredAt : expiredAt;
      return after === null && !this.removed.has(id);
    });
  }

  /** Sources of the edges to a node, once the changes are applied. */
  async #endsAfter(context: IngestContext, kind: 'MENTIONS' | 'ABOUT', to: string): Promise<string[]> {
    const gone = new Set([...this.unlinked.values()].map(pairKey));
    const now = (await edgesOf(context, kind, { to: [to] })).filter((edge) => !gone.has(pairKey(edge)));
    const fresh = [...this.linked.values()].filter((edge) => edge.kind === kind && edge.to === to);
    return [...new Set([...now, ...fresh].map(({ from }) => from))];
  }

  /** Turns that the changes add as evidence of a fact. */
  newEvidenceOf(fact: string): readonly string[] {
    return [...this.linked.values()].flatMap(({ kind, from, to }) =>
      kind === 'EVIDENCED_BY' && from === fact ? [to] : [],
    );
  }

  async finishUndo(context: IngestContext, undone: Correction): Promise<GraphChanges> {
    const there = await existing(context, this.#wanted());
    const fresh = new Set<string>(this.created.description.map(({ id }) => id));
    const exists = (id: string) => (there.has(id) || fresh.has(id)) && !this.removed.has(id);
    const joins = ({ from, to }: Relationship) => exists(from) && exists(to);
    const unlinked = [...this.unlinked.values()].filter(joins);
    const removed = [...this.removed].filter(([id]) => there.has(id));
    const { created, before } = this.journal;
    const correction = this.row(
      { kind: 'undo', correction: undone.id },
      { ...NO_JOURNAL, created: created.filter(({ kind }) => kind === 'profile'), before },
    );
    return {
      unlinks: unlinked.map(withoutProperties),
      nodes: await this.nodes(context, correction),
      relationships: await missing(context, [...this.linked.values()].filter(joins), unlinked),
      updates: [
        ...[...this.updates.values()].filter(({ id }) => exists(id)),
        { kind: 'correction', id: undone.id, set: { undoneAt: this.event.at } },
      ],
      removals: [
        ...removed.map(([id, kind]) => ({ kind, id })),
        ...(await vectorsOf(context, new Set(removed.map(([id]) => id)))),
      ],
    };
  }

  #wanted(): ReadonlyMap<NodeKind, ReadonlySet<string>> {
    const wanted = new Map<NodeKind, Set<string>>();
    const want = (kind: NodeKind, id: string) => wanted.set(kind, (wanted.get(kind) ?? new Set()).add(id));
    for (const [id, kind] of this.removed) want(kind, id);
    for (const { kind, id } of this.updates.values()) want(kind, id);
    for (const { fromKind, from, toKind, to } of [...this.unlinked.values(), ...this.linked.values()]) {
      want(fromKind, from);
      want(toKind, to);
    }
    return wanted;
  }
}

async function existing(
  { store, scope }: IngestContext,
  wanted: ReadonlyMap<NodeKind, ReadonlySet<string>>,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const [kind, ids] of wanted)
    for (const { id } of await store.get(scope, kind, [...ids])) found.add(id);
  return found;
}

/** Edges that the graph lacks, or lacks after the unlinks. */
async function missing(
  context: IngestContext,
  wanted: readonly Relationship[],
  unlinked: readonly Relationship[],
): Promise<Relationship[]> {
  const gone = new Set(unlinked.map(pairKey));
  const there = new Set<string>();
  for (const kind of new Set(wanted.map((edge) => edge.kind))) {
    const from = [...new Set(wanted.filter((edge) => edge.kind === kind).map((edge) => edge.from))];
    for (const edge of await edgesOf(context, kind, { from }))
      if (!gone.has(pairKey(edge))) there.add(edgeKey(edge));
  }
  return wanted.filter((edge) => !there.has(edgeKey(edge)));
}

interface Merge {
  readonly detail: DetailOfKind<'merge-entities'>;
  readonly undone: Correction;
}

/** Moves back the moved rows that still exist, and of what was read since, what names the merged entity. */
async function undoMerge(context: IngestContext, draft: UndoDraft, merge: Merge): Promise<void> {
  const { keep, merged, journal } = merge.detail;
  for (const edge of journal.linked) draft.unlink(edge);
  const now = new Set<string>();
  for (const kind of ['MENTIONS', 'ABOUT', 'CATEGORIZES'] as const)
    for (const { from } of await edgesOf(context, kind, { to: [keep.id] })) now.add(`${kind} ${from}`);
  const moves = ({ kind, to }: Relationship) => kind !== 'POSSIBLY_SAME' && to === merged.id;
  const withdrawn = withdrawnDoubts(context);
  for (const edge of journal.unlinked) {
    if (edge.kind === 'POSSIBLY_SAME' && withdrawn.has(pairOf(edge))) continue;
    if (!moves(edge) || now.has(`${edge.kind} ${edge.from}`)) draft.link(edge);
  }
  await sortMentions(context, draft, merge);
  await sortFacts(context, draft, merge);
}

/** POSSIBLY_SAME pairs that only undone merges created. A later merge may have moved such an edge on. */
function withdrawnDoubts({ index: { corrections } }: IngestContext): ReadonlySet<string> {
  const [withdrawn, inForce] = [new Set<string>(), new Set<string>()];
  for (const correction of corrections.all) {
    const detail = readDetail(correction);
    if (detail?.kind !== 'merge-entities') continue;
    const brought = correction.undoneAt === null ? inForce : withdrawn;
    for (const edge of detail.journal.linked) if (edge.kind === 'POSSIBLY_SAME') brought.add(pairOf(edge));
  }
  return new Set([...withdrawn].filter((pair) => !inForce.has(pair)));
}

function pairOf({ from, to }: Relationship): string {
  return `${from} ${to}`;
}

async function sortMentions(
  context: IngestContext,
  draft: UndoDraft,
  { detail, undone }: Merge,
): Promise<void> {
  const { store, scope, index } = context;
  const names = namedEntities(detail);
  const edges = await since(context, detail, 'MENTIONS');
  const segments = new Map(edges.map(({ from }) => [from, index.segmentOf(from)]));
  const ids = [...new Set([...segments.values()].flatMap((id) => id ?? []))];
  const read = await store.get(scope, 'segment', ids);
  const late = new Set<string>(read.filter((row) => isLater(row, undone)).map(({ id }) => id));
  const turns = edges.filter(({ from }) => late.has(segments.get(from) ?? ''));
  const rows = await store.get(
    scope,
    'episode',
    turns.map(({ from }) => from),
  );
  const texts = new Map<string, string>(
    rows.map(({ id, speaker, content }) => [id, `${speaker}: ${content}`]),
  );
  for (const edge of turns) sort(draft, edge, { detail, says: names(texts.get(edge.from) ?? '') });
}

async function sortFacts(context: IngestContext, draft: UndoDraft, { detail, undone }: Merge): Promise<void> {
  const names = namedEntities(detail);
  const edges = await since(context, detail, 'ABOUT');
  const rows = await context.store.get(context.scope, 'fact', [...new Set(edges.map(({ from }) => from))]);
  const late = new Map<string, Fact>(rows.filter((row) => isLater(row, undone)).map((row) => [row.id, row]));
  for (const edge of edges) {
    const fact = late.get(edge.from);
    if (fact !== undefined) sort(draft, edge, { detail, says: names(fact.statement) });
  }
}

function sort(
  draft: UndoDraft,
  edge: Relationship,
  { detail, says }: { detail: Merge['detail']; says: { merged: boolean; keep: boolean } },
): void {
  if (!says.merged) return;
  if (!says.keep) draft.unlink(edge);
  draft.link({ ...edge, to: detail.merged.id });
}

/** Edges of the kept entity that the merge did not move to it. */
async function since(
  context: IngestContext,
  { keep, journal }: Merge['detail'],
  kind: 'MENTIONS' | 'ABOUT',
): Promise<Relationship[]> {
  const moved = new Set(journal.unlinked.flatMap((edge) => (edge.kind === kind ? [edge.from] : [])));
  return (await edgesOf(context, kind, { to: [keep.id] })).filter(({ from }) => !moved.has(from));
}

function isLater(row: { readonly id: string; readonly createdAt: number }, undone: Correction): boolean {
  return row.createdAt > undone.createdAt || (row.createdAt === undone.createdAt && row.id > undone.id);
}

/** Returns a function that says which of the two entities a text names, by names that only one of them has. */
function namedEntities({
  keep,
  merged,
}: Merge['detail']): (text: string) => { merged: boolean; keep: boolean } {
  const keysOf = ({ names }: Merge['detail']['keep']) => new Set(names.map(statementKey));
  const [ofKeep, ofMerged] = [keysOf(keep), keysOf(merged)];
  const says = (text: string, keys: ReadonlySet<string>, others: ReadonlySet<string>) =>
    [...keys].some((key) => key !== '' && !others.has(key) && text.includes(` ${key} `));
  return (text) => {
    const words = ` ${statementKey(text)} `;
    return { merged: says(words, ofMerged, ofKeep), keep: says(words, ofKeep, ofMerged) };
  };
}

/** Moves everything about the new entity, from the split and since, back to the old one. */
async function undoSplit(
  context: IngestContext,
  draft: UndoDraft,
  { entity: { id: entity }, made, journal }: DetailOfKind<'split-entity'>,
): Promise<void> {
  const known = new Set(journal.linked.map(({ kind, from }) => `${kind} ${from}`));
  const now = new Set<string>();
  for (const kind of ['MENTIONS', 'ABOUT', 'CATEGORIZES'] as const)
    for (const edge of await edgesOf(context, kind, { to: [made] })) {
      now.add(`${kind} ${edge.from}`);
      if (!known.has(`${kind} ${edge.from}`)) draft.link({ ...edge, to: entity });
    }
  for (const edge of journal.unlinked) if (now.has(`${edge.kind} ${edge.from}`)) draft.link(edge);
  await giveBackDescriptions(context, draft, { entity, made });
  await removeProfiles(context, draft, made);
}

async function giveBackDescriptions(
  context: IngestContext,
  draft: UndoDraft,
  {
    entity,
    made,
  }: Pick<DetailOfKind<'split-entity'>, 'made'> & { entity: DetailOfKind<'split-entity'>['made'] },
): Promise<void> {
  const { store, scope, newId } = context;
  for await (const rows of store.scan(scope, 'description'))
    for (const row of rows) {
      if (row.entity !== made || draft.removed.has(row.id)) continue;
      const id = newId() as DescriptionId;
      draft.remove('description', row.id);
      draft.create('description', { ...row, id, entity });
      for (const edge of await edgesOf(context, 'EVIDENCED_BY', { from: [row.id] }))
        draft.link({ ...edge, from: id });
    }
}

async function removeProfiles(
  { store, scope }: IngestContext,
  draft: UndoDraft,
  owner: string,
): Promise<void> {
  for await (const rows of store.scan(scope, 'profile', ['id', 'owner']))
    for (const row of rows) if (row.owner === owner) draft.remove('profile', row.id);
}

/**
 * Undoes a correction by restoring the rows before it. What was read since and depends on its rows moves along: new
 * evidence to the former fact, new mentions to the entity that they name. A profile written since stays in the history;
 * another version follows it.
 *
 * The index cannot apply these changes; rebuild it from the graph.
 *
 * @throws InvalidInputError for a correction whose detail cannot be read.
 */
export async function undoCorrection(
  context: IngestContext,
  undone: Correction,
  event: CorrectionEvent,
): Promise<GraphChanges> {
  const detail = readDetail(undone);
  if (detail === null || detail.kind === 'undo')
    throw new InvalidInputError('This correction cannot be undone');
  const draft = new UndoDraft(event);
  for (const { kind, id } of detail.journal.created) if (kind !== 'profile') draft.remove(kind, id);
  if (detail.kind === 'edit-fact') await moveNewEdges(context, draft, detail);
  if (detail.kind === 'merge-entities') await undoMerge(context, draft, { detail, undone });
  else {
    for (const edge of detail.journal.linked) draft.unlink(edge);
    if (detail.kind === 'split-entity') await undoSplit(context, draft, detail);
    else for (const edge of detail.journal.unlinked) draft.link(edge);
  }
  await restoreFacts(context, draft, detail);
  await restoreProfiles(context, draft, { detail, undone });
  return draft.finishUndo(context, undone);
}

/** Moves evidence and SUPERSEDES edges that the edited row got since back to the old row. */
async function moveNewEdges(
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
    const isHeld = await isSupported(context, draft, row.id);
    if (isHeld) draft.update('fact', row.id, { expiredAt: each.expiredAt });
  }
  if (detail.kind === 'edit-fact') await copyTimes(context, draft, { detail, old: byId.get(detail.fact.id) });
}

/** Keeps an end that was set since, if it is the earlier one. */
function endBefore({ invalidAt }: Fact, { invalidAt: before = null, set = null }: RowBefore): number | null {
  if (invalidAt === set || invalidAt === null) return before;
  return before === null ? invalidAt : Math.min(before, invalidAt);
}

/** Whether a live turn supports the fact. A given fact without evidence needs none. */
async function isSupported(context: IngestContext, draft: UndoDraft, fact: string): Promise<boolean> {
  const edges = await edgesOf(context, 'EVIDENCED_BY', { from: [fact] });
  const turns = [...edges.map(({ to }) => to), ...draft.newEvidenceOf(fact)];
  const rows = await context.store.get(context.scope, 'episode', [...new Set(turns)]);
  return turns.length === 0 || rows.some(({ expiredAt }) => expiredAt === null);
}

/** If the edited row ended or expired since, so does the former one. */
async function copyTimes(
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
  { detail, undone }: { detail: CorrectionDetail; undone: Correction },
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
    const then = new ProfileVersions(index.corrections.all, versions, before.owner);
    const back = then.without(undone.id, current?.id ?? before.id, current !== undefined);
    if (!(await draft.hasLiveSource(context, before.owner))) {
      // All turns and facts about it changed or expired since.
      if (current !== undefined && !isNewest)
        draft.update('profile', current.id, { expiredAt: draft.event.at });
    } else if (back !== null) {
      if (back.id === current?.id) continue;
      draft.update('profile', back.id, { expiredAt: null });
      if (current !== undefined && !isNewest)
        draft.update('profile', current.id, { expiredAt: draft.event.at });
    } else await addProfileVersion(context, draft, { before, made, detail, undone });
  }
  const formerOf = new Set<string>(former.map(({ owner }) => owner));
  for (const { id, owner } of created)
    if (index.entities.profileOf(owner)?.id === id || draft.removed.has(owner) || !formerOf.has(owner))
      draft.remove('profile', id);
}

/** Adds a profile version after those written since, with the former names and what was learned since. */
async function addProfileVersion(
  context: IngestContext,
  draft: UndoDraft,
  {
    before,
    made,
    detail,
    undone,
  }: {
    before: Profile;
    made: Profile | undefined;
    detail: CorrectionDetail;
    undone: Correction;
  },
): Promise<void> {
  const { index, store, scope } = context;
  const id = before.owner as Parameters<typeof index.factsAbout>[0];
  const current = index.entities.profileOf(id);
  const effective = new EffectiveCorrections(index.corrections.all.filter((each) => each.id !== undone.id));
  const isGone = (fact: string) =>
    draft.removed.has(fact) || (detail.kind === 'merge-entities' && movedFacts(detail).has(fact));
  const facts = new Set<string>(index.factsAbout(id).filter((fact) => !isGone(fact)));
  const back = detail.kind === 'edit-fact' || detail.kind === 'reject-fact' ? detail.fact.id : null;
  if (back !== null) facts.add(back);
  const rows = back === null ? [] : await store.get(scope, 'fact', [back]);
  const profile = await buildProfile(
    context,
    {
      id,
      ...namesAfter(detail, { before, made, current }),
      facts,
      mentions: index.mentionCount(id),
    },
    { at: draft.event.at, effective, facts: rows.map((row) => ({ ...row, expiredAt: null })) },
  );
  draft.create('profile', profile);
  if (current !== undefined) draft.expire('profile', { id: current.id, expiredAt: null });
}

/** Undoing a correction of a fact keeps the current names, including other corrections of them. */
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
