import { CorrectionBook } from '../../ingest/corrections/correction-book.ts';
import {
  isIdentifiedBy,
  readDetail,
  withoutNames,
  withoutSummary,
} from '../../ingest/corrections/correction-detail.ts';
import type { IndexedScope, IngestContext, StoredScope } from '../../ingest/ingest-context.ts';
import { embedNodes } from '../../ingest/write/embed-nodes.ts';
import type { RowRemoval, RowUpdate } from '../../model/graph-changes.ts';
import { type CorrectionId, renewedId } from '../../model/ids.ts';
import type { Correction, Fact, NodeKind, Profile } from '../../model/nodes.ts';
import { collect } from '../../util/collections.ts';
import { categoriesTouched, withoutSummaries } from './categories.ts';
import { countRemovals, type Deletion, type DeletionSet, textsOf } from './deletion-set.ts';
import {
  isNothing,
  obsoleteNames,
  orphanedEntities,
  type RemainingEntity,
  remainingEntities,
  wordsOfTurn,
} from './entities.ts';
import { reopenedFacts } from './facts.ts';
import { QuotationFinder, textsIn } from './quotations.ts';
import { rewriteProfiles } from './rewrite-profiles.ts';

export interface DeletionOptions {
  /** For a preview, which is never committed: new profiles get no vectors. */
  readonly preview?: boolean;
}

/**
 * Completes a deletion with everything that depends on the removed rows: ends of other facts, entities with nothing
 * remaining, profiles of the other entities and of the categories above them, corrections, and vectors.
 */
export async function cascade(
  context: IngestContext,
  deletion: DeletionSet,
  { preview = false }: DeletionOptions = {},
): Promise<Omit<Deletion, 'reread' | 'former'>> {
  const expiring = deletion.updates.flatMap(({ kind, id, set }) =>
    kind === 'fact' && 'expiredAt' in set ? [id] : [],
  );
  const removedFacts = new Set([...deletion.facts, ...expiring]);
  const reopened = await reopenedFacts(context, { removedFacts, turns: deletion.allTurns });
  const updates = [...deletion.updates, ...reopened.updates];
  const byHand = await summariesByHand(context, deletion.turns);
  const changing = await entitiesOf(context, factsIn(updates));
  const touched = new Set([...deletion.touched, ...byHand.owners, ...changing]);
  const orphaned = await orphanedEntities(context, deletion);
  const candidates = [...entitiesBoundTo(context, [...touched, ...orphaned])];
  const left = await remainingEntities(context, candidates, deletion);
  const empty = new Set(candidates.filter((id) => isNothing(left.get(id)!)));
  const tied = tiedToOthers(context, empty);
  const removedEntities = new Set(
    candidates.filter((id) => deletion.entities.has(id) || (empty.has(id) && !tied.has(id))),
  );
  const listed = await collect(context.store.scan(context.scope, 'profile', ['id', 'owner', 'createdAt']));
  const profiles = profilesToRemove(listed, {
    touched,
    removedEntities,
    since: deletion.since,
    whole: byHand.owners,
  });
  const removed = await rowsRemoved(context, deletion, profiles);
  const current = newestOf(
    removed.profile.filter(({ owner, expiredAt }) => expiredAt === null && !removedEntities.has(owner)),
  );
  const texts = textsOf(removed);
  const statements = removed.fact.flatMap(({ id, statement }) =>
    deletion.alsoSupported.has(id) ? [] : [statement],
  );
  const rewritten = await rewriteProfiles(context, {
    current,
    left,
    removedTexts: [...removed.episode.flatMap(wordsOfTurn), ...statements],
    changed: changedFacts(updates),
  });
  const named = removed.profile.filter(({ owner }) => removedEntities.has(owner));
  const dates = new Set(removed.profile.flatMap((profile) => (isDate(profile) ? allNames(profile) : [])));
  const names = [...rewritten.dropped.filter((name) => !dates.has(name)), ...namesOf(named)];
  const obsolete = await obsoleteNames(context, names, {
    turns: new Set([...deletion.allTurns, ...namingTurns(deletion, left)]),
    facts: deletion.facts,
  });
  const categories = await categoriesTouched(context, {
    entities: [...touched, ...candidates],
    obsolete,
    profiles: listed,
  });
  const corrections = await affectedCorrections(context, {
    allTurns: deletion.allTurns,
    facts: deletion.facts,
    entities: removedEntities,
    texts: [...statements, ...names],
    details: byHand.details,
  });
  const renewed = corrections.renewed.map((each) => ({ ...each, id: renewedId(each.id) as CorrectionId }));
  const removedCorrections = [...corrections.removed, ...corrections.renewed.map(({ id }) => id)];
  const removedProfiles = [...removed.profile, ...categories.profiles];
  const rows = removalsOf({
    deletion,
    removedEntities,
    corrections: removedCorrections,
    profiles: removedProfiles,
  });
  const vectors = await vectorsOf(context, new Set(rows.map(({ id }) => id)));
  const removals = [...rows, ...vectors];
  const profile = [...rewritten.created, ...withoutSummaries(categories, [...names, ...obsolete], context)];
  const embedding = preview ? [] : await embedNodes(context, { profile }, undefined);
  const isRenewed = new Set<string>(corrections.renewed.map(({ id }) => id));
  const isRemoved = new Set(rows.map(({ kind, id }) => `${kind} ${id}`));
  return {
    changes: {
      unlinks: deletion.unlinks,
      nodes: { profile, embedding, correction: renewed },
      relationships: [...deletion.relationships, ...reopened.relationships],
      updates: [...updates, ...categories.updates].filter(({ kind, id }) => !isRemoved.has(`${kind} ${id}`)),
      removals,
    },
    counts: countRemovals(removals.filter(({ id }) => !isRenewed.has(id))),
    texts: {
      said: new Set([...texts.said, ...names]),
      derived: withoutRepeated(new Set([...texts.derived, ...categories.derived]), rewritten.created),
    },
    vanishing: named.filter(({ owner, expiredAt }) => expiredAt === null && isUnmentioned(left.get(owner))),
  };
}

/** All versions of the profiles of removed entities; of other entities, the versions that may repeat removed text. */
function profilesToRemove(
  profiles: readonly Pick<Profile, 'id' | 'owner' | 'createdAt'>[],
  {
    touched,
    removedEntities,
    since,
    whole,
  }: {
    readonly touched: ReadonlySet<string>;
    readonly removedEntities: ReadonlySet<string>;
    readonly since: DeletionSet['since'];
    /** Entities whose profiles are removed in every version. */
    readonly whole: ReadonlySet<string>;
  },
): string[] {
  const mayRepeat = (createdAt: number) => since === null || createdAt >= since;
  return profiles
    .filter(
      ({ owner, createdAt }) =>
        removedEntities.has(owner) || whole.has(owner) || (touched.has(owner) && mayRepeat(createdAt)),
    )
    .map(({ id }) => id);
}

/** The newest profile of each owner: after an import, one owner can have several live profiles. */
function newestOf(profiles: readonly Profile[]): Profile[] {
  const sorted = profiles.toSorted((a, b) => a.createdAt - b.createdAt);
  return [...new Map(sorted.map((profile) => [profile.owner, profile])).values()];
}

/** Names of profiles, without dates: a date occurs in the text of every other turn of that day. */
function namesOf(profiles: readonly Profile[]): string[] {
  return profiles.flatMap((profile) => (isDate(profile) ? [] : allNames(profile)));
}

function isDate({ tags }: Profile): boolean {
  return tags.includes('date');
}

function allNames({ name, aliases }: Profile): string[] {
  return [name, ...aliases];
}

/**
 * Drops texts that the rewritten profiles repeat: a summary built from the remaining facts can equal the removed one.
 */
function withoutRepeated(derived: ReadonlySet<string>, written: readonly Profile[]): ReadonlySet<string> {
  const again = new Set(written.map(({ summary }) => summary));
  return new Set([...derived].filter((text) => !again.has(text)));
}

/** Whether no remaining turn mentions the entity. */
function isUnmentioned(left: RemainingEntity | undefined): boolean {
  return (left?.mentionedIn.length ?? 0) === 0;
}

/** Remaining turns that mention an entity to be removed: they no longer justify keeping its names in categories. */
function namingTurns({ entities }: DeletionSet, left: ReadonlyMap<string, RemainingEntity>): string[] {
  return [...entities].flatMap((id) => left.get(id)?.mentionedIn ?? []);
}

function factsIn(updates: readonly RowUpdate[]): string[] {
  return updates.flatMap(({ kind, id }) => (kind === 'fact' ? [id] : []));
}

function changedFacts(updates: readonly RowUpdate[]): ReadonlyMap<string, Partial<Fact>> {
  const changed = new Map<string, Partial<Fact>>();
  for (const { kind, id, set } of updates)
    if (kind === 'fact') changed.set(id, { ...changed.get(id), ...set });
  return changed;
}

async function entitiesOf({ store, scope }: IngestContext, facts: readonly string[]): Promise<string[]> {
  if (facts.length === 0) return [];
  return (await collect(store.relationships(scope, 'ABOUT', { from: facts }))).map(({ to }) => to);
}

async function rowsRemoved(
  { store, scope }: IngestContext,
  deletion: DeletionSet,
  profiles: readonly string[],
) {
  const descriptions = deletion.descriptions.map(({ id }) => id);
  const rowsOf = async <K extends NodeKind>(kind: K, ids: Iterable<string>) =>
    store.get(scope, kind, [...ids]);
  return {
    episode: await rowsOf('episode', deletion.turns),
    segment: deletion.segments,
    fact: await rowsOf('fact', deletion.facts),
    description: await rowsOf('description', descriptions),
    profile: await rowsOf('profile', profiles),
  };
}

function removalsOf({
  deletion,
  removedEntities,
  corrections,
  profiles,
}: {
  readonly deletion: DeletionSet;
  readonly removedEntities: ReadonlySet<string>;
  readonly corrections: readonly string[];
  readonly profiles: readonly Profile[];
}): RowRemoval[] {
  const of = (kind: NodeKind, ids: Iterable<string>) => Array.from(ids, (id): RowRemoval => ({ kind, id }));
  const idsOf = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);
  return [
    ...of('episode', deletion.turns),
    ...of('segment', idsOf(deletion.segments)),
    ...of('description', idsOf(deletion.descriptions)),
    ...of('fact', deletion.facts),
    ...of('profile', idsOf(profiles)),
    ...of('entity', removedEntities),
    ...of('failure', deletion.failures),
    ...of('correction', corrections),
  ];
}

async function vectorsOf(
  { store, scope }: IngestContext,
  owners: ReadonlySet<string>,
): Promise<RowRemoval[]> {
  const vectors: RowRemoval[] = [];
  for await (const rows of store.scan(scope, 'embedding', ['id', 'owner']))
    for (const { id, owner } of rows) if (owners.has(owner)) vectors.push({ kind: 'embedding', id });
  return vectors;
}

interface AffectedCorrections {
  readonly removed: ReadonlySet<string>;
  /** Corrections that stay but lose names or a summary, under their old ids. */
  readonly renewed: readonly Correction[];
}

interface RemovedRows extends Pick<DeletionSet, 'allTurns' | 'facts'> {
  /** Entities with nothing remaining. */
  readonly entities: ReadonlySet<string>;
  /** Removed statements and names. */
  readonly texts: readonly string[];
  /** New details of corrections that lose a summary, by correction id. */
  readonly details: ReadonlyMap<string, string>;
}

/**
 * Corrections to remove: those whose targets are all removed, and the undoing of such. Other corrections lose the
 * removed names. Unfinished forgettings stay, as do the records of finished ones, which hold no text.
 */
async function affectedCorrections(
  { store, scope, index }: IndexedScope,
  rows: RemovedRows,
): Promise<AffectedCorrections> {
  const candidates = index.corrections.all.filter(({ kind }) => kind !== 'forget' && kind !== 'retain');
  if (candidates.length === 0) return { removed: new Set(), renewed: [] };
  const texts = new Set(rows.texts);
  const concerned = candidates.filter((each) => each.kind !== 'undo' && isConcerned(each, rows));
  const existing = await existingRows({ store, scope }, concerned);
  const stays = (id: string) =>
    existing.has(id) && !rows.allTurns.has(id) && !rows.facts.has(id) && !rows.entities.has(id);
  const removed = new Set<string>(
    candidates
      .filter(
        (each) => isIdentifiedBy(each, texts) || (concerned.includes(each) && !each.targets.some(stays)),
      )
      .map(({ id }) => id),
  );
  for (const { id, kind, targets } of candidates)
    if (kind === 'undo' && targets.some((target) => removed.has(target))) removed.add(id);
  const renewed = candidates.flatMap((each) => {
    if (removed.has(each.id)) return [];
    const known = rows.details.get(each.id) ?? each.detail;
    const detail = withoutNames({ ...each, detail: known }, texts) ?? known;
    return detail === each.detail ? [] : [{ ...each, detail }];
  });
  return { removed, renewed };
}

/** The entities, and those that corrections tie to them: of a merged entity, only its corrections remain. */
function entitiesBoundTo(
  { index }: Pick<IngestContext, 'index'>,
  entities: Iterable<string>,
): ReadonlySet<string> {
  const { ids } = index.entities;
  const bound = new Set(entities);
  for (const { targets } of index.corrections.all)
    if (targets.some((id) => bound.has(id)))
      for (const id of targets) if (ids.ordinalOf(id) !== undefined) bound.add(id);
  return bound;
}

/**
 * Of the entities with nothing remaining, those that a correction ties to an entity that stays, such as merged ones.
 */
function tiedToOthers(
  { index }: Pick<IngestContext, 'index'>,
  empty: ReadonlySet<string>,
): ReadonlySet<string> {
  const { ids } = index.entities;
  const tied = new Set<string>();
  for (const { targets } of index.corrections.all) {
    const entities = targets.filter((id) => ids.ordinalOf(id) !== undefined);
    if (!entities.every((id) => empty.has(id))) for (const id of entities) if (empty.has(id)) tied.add(id);
  }
  return tied;
}

function isConcerned({ targets }: Correction, { allTurns, facts, entities }: RemovedRows): boolean {
  return targets.some((id) => allTurns.has(id) || facts.has(id) || entities.has(id));
}

async function existingRows(
  { store, scope }: StoredScope,
  corrections: readonly Correction[],
): Promise<ReadonlySet<string>> {
  const ids = [...new Set(corrections.flatMap(({ targets }) => targets))];
  const existing = new Set<string>();
  if (ids.length === 0) return existing;
  for (const kind of ['episode', 'fact', 'entity'] as const)
    for (const { id } of await store.get(scope, kind, ids)) existing.add(id);
  return existing;
}

/** Summaries written by users that repeat text of removed turns. */
interface SummariesByHand {
  /** Details of the corrections without such a summary, by correction id. */
  readonly details: ReadonlyMap<string, string>;
  /** Entities with such a summary: every version of their profiles may contain it. */
  readonly owners: ReadonlySet<string>;
}

/** Includes undone corrections, because their details keep their text. */
async function summariesByHand(
  { store, scope, index: { corrections } }: IndexedScope,
  turns: ReadonlySet<string>,
): Promise<SummariesByHand> {
  const [details, owners] = [new Map<string, string>(), new Set<string>()];
  const edits = corrections.all.filter(({ kind }) => kind === 'edit-profile');
  if (edits.length === 0 || turns.size === 0) return { details, owners };
  const said = new QuotationFinder();
  for (const row of await store.get(scope, 'episode', [...turns]))
    for (const text of textsIn(row)) said.add(text);
  const book = CorrectionBook.of(corrections);
  for (const edit of edits) {
    const detail = readDetail(edit);
    if (detail?.kind !== 'edit-profile' || said.foundIn(detail.patch.summary ?? '') === null) continue;
    details.set(edit.id, withoutSummary(edit));
    for (const id of [detail.entity.id, book.canonical(detail.entity.id)]) owners.add(id);
  }
  return { details, owners };
}
