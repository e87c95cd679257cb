import {
  isIdentifiedBy,
  readDetail,
  withoutNames,
  withoutSummary,
} from '../../ingest/corrections/correction-detail.ts';
import { EffectiveCorrections } from '../../ingest/corrections/effective-corrections.ts';
import type { IndexedScope, IngestContext, StoredScope } from '../../ingest/ingest-context.ts';
import type { GraphChanges, RowUpdate } from '../../model/graph-changes.ts';
import { type CorrectionId, renewedId } from '../../model/ids.ts';
import type { Correction, Description, Fact, Profile } from '../../model/nodes.ts';
import { edgesOf } from '../../store/graph-store.ts';
import { collect } from '../../util/collections.ts';
import { categoriesTouched, withoutSummaries } from './categories.ts';
import {
  countRemovals,
  type Deletion,
  type DeletionSet,
  removalsOf,
  textsOf,
  vectorsOf,
} from './deletion.ts';
import {
  isNothing,
  obsoleteNames,
  orphanedEntities,
  type RemainingEntity,
  remainingEntities,
  rewriteProfiles,
  wordsOfTurn,
} from './entities.ts';
import { reopenedFacts } from './facts.ts';
import { QuotationFinder, textsIn } from './quotations.ts';

/**
 * Completes a deletion with everything that depends on the removed rows: ends of other facts, entities with nothing
 * remaining, profiles of the other entities and of the categories above them, corrections, and vectors.
 */
export async function cascade(context: IngestContext, deletion: DeletionSet): Promise<Deletion> {
  const { store, scope } = context;
  const { turns, allTurns, facts } = deletion;
  const reopened = await reopenedFacts(context, {
    removedFacts: new Set([...facts, ...expiringFacts(deletion.updates)]),
    turns: allTurns,
  });
  const updates = [...deletion.updates, ...reopened.updates];
  const byHand = await summariesByHand(context, turns);
  const segments = new Set<string>(deletion.segments.map(({ id }) => id));
  const isRemoved = (row: ListedDescription) =>
    segments.has(row.segment) || deletion.entities.has(row.entity);
  const listed = await collect(store.scan(scope, 'description', ['id', 'entity', 'segment']));
  const descriptions = listed.filter(isRemoved);
  const changed = changedFacts(updates);
  const about = await edgesOf(context, 'ABOUT', { from: [...new Set([...facts, ...changed.keys()])] });
  const touched = new Set<string>([
    ...deletion.touched,
    ...descriptions.map(({ entity }) => entity),
    ...byHand.owners,
    ...about.map(({ to }) => to),
  ]);
  const entities = await entitiesAfter(context, deletion, {
    touched,
    descriptions: listed.filter((row) => !isRemoved(row)),
  });
  const profiles = await collect(store.scan(scope, 'profile', ['id', 'owner', 'createdAt']));
  const removed = {
    episode: await store.get(scope, 'episode', [...turns]),
    segment: deletion.segments,
    fact: await store.get(scope, 'fact', [...facts]),
    description: await store.get(scope, 'description', idsOf(descriptions)),
    profile: await store.get(
      scope,
      'profile',
      profilesToRemove(profiles, deletion, { touched, whole: byHand.owners, entities }),
    ),
  };
  const statements = removed.fact.flatMap(({ id, statement }) =>
    deletion.alsoSupported.has(id) ? [] : [statement],
  );
  const rewritten = await rewriteProfiles(context, {
    current: newestOf(
      removed.profile.filter(({ owner, expiredAt }) => expiredAt === null && !entities.removed.has(owner)),
    ),
    left: entities.left,
    removedTexts: [...removed.episode.flatMap(wordsOfTurn), ...statements],
    changed,
  });
  const named = removed.profile.filter(({ owner }) => entities.removed.has(owner));
  // A date occurs in the text of every other turn of that day.
  const dates = new Set(removed.profile.filter(isDate).flatMap(allNames));
  const names = [
    ...rewritten.dropped.filter((name) => !dates.has(name)),
    ...named.filter((profile) => !isDate(profile)).flatMap(allNames),
  ];
  const obsolete = await obsoleteNames(context, names, {
    // Turns that mention an entity to be removed no longer justify its names in categories.
    turns: new Set([
      ...allTurns,
      ...[...deletion.entities].flatMap((id) => entities.left.get(id)?.mentionedIn ?? []),
    ]),
    facts,
  });
  const categories = await categoriesTouched(context, {
    entities: [...touched, ...entities.candidates],
    obsolete,
    profiles,
  });
  const corrections = await affectedCorrections(context, {
    allTurns,
    facts,
    entities: entities.removed,
    texts: [...statements, ...names],
    details: byHand.details,
  });
  const rows = [
    ...removalsOf('episode', turns),
    ...removalsOf('segment', segments),
    ...removalsOf('description', idsOf(descriptions)),
    ...removalsOf('fact', facts),
    ...removalsOf('profile', idsOf([...removed.profile, ...categories.profiles])),
    ...removalsOf('entity', entities.removed),
    ...removalsOf('failure', deletion.failures),
    ...removalsOf('correction', corrections.removed),
  ];
  const renewed = idsOf(corrections.renewed);
  const gone = new Set(rows.map(({ kind, id }) => `${kind} ${id}`));
  const vectors = await vectorsOf(context, new Set(rows.map(({ id }) => id)));
  const texts = textsOf(removed);
  const changes: GraphChanges = {
    unlinks: deletion.unlinks,
    nodes: {
      profile: [...rewritten.created, ...withoutSummaries(categories, [...names, ...obsolete], context)],
      correction: corrections.renewed.map((each) => ({ ...each, id: renewedId(each.id) as CorrectionId })),
    },
    relationships: [...deletion.relationships, ...reopened.relationships],
    updates: [...updates, ...categories.updates].filter(({ kind, id }) => !gone.has(`${kind} ${id}`)),
    removals: [...rows, ...removalsOf('correction', renewed), ...vectors],
  };
  return {
    changes,
    counts: countRemovals([...rows, ...vectors]),
    texts: {
      said: new Set([...texts.said, ...names]),
      derived: withoutRepeated(new Set([...texts.derived, ...categories.derived]), rewritten.created),
    },
    reread: [],
    vanishing: named.filter(
      ({ owner, expiredAt }) => expiredAt === null && !entities.left.get(owner)?.mentionedIn.length,
    ),
  };
}

type ListedDescription = Pick<Description, 'id' | 'entity' | 'segment'>;

function idsOf(rows: readonly { readonly id: string }[]): string[] {
  return rows.map(({ id }) => id);
}

function expiringFacts(updates: readonly RowUpdate[]): string[] {
  return updates.flatMap(({ kind, id, set }) => (kind === 'fact' && 'expiredAt' in set ? [id] : []));
}

interface EntitiesAfter {
  /** Entities that may lose their last row. */
  readonly candidates: readonly string[];
  readonly left: ReadonlyMap<string, RemainingEntity>;
  readonly removed: ReadonlySet<string>;
}

/** What is left of the touched entities, and which of them are removed. */
async function entitiesAfter(
  context: IngestContext,
  deletion: DeletionSet,
  {
    touched,
    descriptions,
  }: { readonly touched: ReadonlySet<string>; readonly descriptions: readonly ListedDescription[] },
): Promise<EntitiesAfter> {
  const orphaned = await orphanedEntities(context, deletion);
  const candidates = [...entitiesBoundTo(context, [...touched, ...orphaned])];
  const { allTurns, facts, entities } = deletion;
  const left = await remainingEntities(context, candidates, { allTurns, facts, descriptions });
  const empty = new Set(candidates.filter((id) => isNothing(left.get(id)!)));
  const tied = tiedToOthers(context, empty);
  const removed = candidates.filter((id) => entities.has(id) || (empty.has(id) && !tied.has(id)));
  return { candidates, left, removed: new Set(removed) };
}

/** All versions of the profiles of removed entities; of other entities, the versions that may repeat removed text. */
function profilesToRemove(
  profiles: readonly Pick<Profile, 'id' | 'owner' | 'createdAt'>[],
  { since }: DeletionSet,
  {
    touched,
    whole,
    entities: { removed },
  }: {
    readonly touched: ReadonlySet<string>;
    /** Entities whose profiles are removed in every version. */
    readonly whole: ReadonlySet<string>;
    readonly entities: EntitiesAfter;
  },
): string[] {
  const mayRepeat = (createdAt: number) => since === null || createdAt >= since;
  const isRemoved = ({ owner, createdAt }: Pick<Profile, 'owner' | 'createdAt'>) =>
    removed.has(owner) || whole.has(owner) || (touched.has(owner) && mayRepeat(createdAt));
  return idsOf(profiles.filter(isRemoved));
}

/** The newest profile of each owner: after an import, one owner can have several live profiles. */
function newestOf(profiles: readonly Profile[]): Profile[] {
  const sorted = profiles.toSorted((a, b) => a.createdAt - b.createdAt);
  return [...new Map(sorted.map((profile) => [profile.owner, profile])).values()];
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

function changedFacts(updates: readonly RowUpdate[]): ReadonlyMap<string, Partial<Fact>> {
  const changed = new Map<string, Partial<Fact>>();
  for (const { kind, id, set } of updates)
    if (kind === 'fact') changed.set(id, { ...changed.get(id), ...set });
  return changed;
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
  const effective = EffectiveCorrections.of(corrections);
  for (const edit of edits) {
    const detail = readDetail(edit);
    if (detail?.kind !== 'edit-profile' || said.foundIn(detail.patch.summary ?? '') === null) continue;
    details.set(edit.id, withoutSummary(edit));
    for (const id of [detail.entity.id, effective.canonical(detail.entity.id)]) owners.add(id);
  }
  return { details, owners };
}
