import { CorrectionBook } from '../../ingest/corrections/correction-book.ts';
import {
  isIdentifiedBy,
  readDetail,
  withoutNames,
  withoutSummary,
} from '../../ingest/corrections/correction-detail.ts';
import type { IngestContext } from '../../ingest/ingest-context.ts';
import { embedNodes } from '../../ingest/write/embed-nodes.ts';
import type { RowRemoval, RowUpdate } from '../../model/graph-changes.ts';
import { type CorrectionId, renewedId } from '../../model/ids.ts';
import type { Correction, Fact, NodeKind, Profile } from '../../model/nodes.ts';
import { collect } from '../../util/collections.ts';
import { categoriesTouched, withoutSummaries } from './categories.ts';
import { countRemovals, type Deletion, type DeletionSet, textsOf } from './deletion-set.ts';
import {
  type EntityLeft,
  entitiesAdrift,
  entitiesLeft,
  isNothing,
  unsaidNames,
  wordsOfTurn,
} from './entities.ts';
import { reopenedFacts } from './facts.ts';
import { SaidAgain, textsIn } from './quotations.ts';
import { rewriteProfiles } from './rewrite-profiles.ts';

export interface DeletionOptions {
  /** Only to be looked at, not to be committed: the vectors of new profiles are left out. */
  readonly preview?: boolean;
}

/**
 * What hangs on the rows that go: the ends of other facts, entities of which nothing is left, profiles of all others and
 * of the categories above them, corrections, and vectors.
 */
export async function cascade(
  context: IngestContext,
  going: DeletionSet,
  { preview = false }: DeletionOptions = {},
): Promise<Omit<Deletion, 'reread' | 'former'>> {
  const expiring = going.updates.flatMap(({ kind, id, set }) =>
    kind === 'fact' && 'expiredAt' in set ? [id] : [],
  );
  const leaving = new Set([...going.facts, ...expiring]);
  const reopened = await reopenedFacts(context, { leaving, turns: going.allTurns });
  const updates = [...going.updates, ...reopened.updates];
  const byHand = await summariesByHand(context, going.turns);
  const changing = await entitiesOf(context, factsIn(updates));
  const touched = new Set([...going.touched, ...byHand.owners, ...changing]);
  const adrift = await entitiesAdrift(context, going);
  const candidates = [...entitiesBoundTo(context, [...touched, ...adrift])];
  const left = await entitiesLeft(context, candidates, going);
  const empty = new Set(candidates.filter((id) => isNothing(left.get(id)!)));
  const tied = tiedToOthers(context, empty);
  const gone = new Set(candidates.filter((id) => going.entities.has(id) || (empty.has(id) && !tied.has(id))));
  const listed = await collect(context.store.scan(context.scope, 'profile', ['id', 'owner', 'createdAt']));
  const profiles = profilesGoing(listed, {
    ...{ touched, gone, since: going.since },
    whole: byHand.owners,
  });
  const removed = await rowsRemoved(context, going, profiles);
  const current = newestOf(
    removed.profile.filter(({ owner, expiredAt }) => expiredAt === null && !gone.has(owner)),
  );
  const texts = textsOf(removed);
  const statements = removed.fact.flatMap(({ id, statement }) =>
    going.saidAgain.has(id) ? [] : [statement],
  );
  const rewritten = await rewriteProfiles(context, {
    current,
    left,
    goingTexts: [...removed.episode.flatMap(wordsOfTurn), ...statements],
    changed: changedFacts(updates),
  });
  const named = removed.profile.filter(({ owner }) => gone.has(owner));
  const names = [...rewritten.dropped, ...namesOf(named)];
  const unsaid = await unsaidNames(context, names, {
    turns: new Set([...going.allTurns, ...namingTurns(going, left)]),
    facts: going.facts,
  });
  const categories = await categoriesTouched(context, {
    entities: [...touched, ...candidates],
    unsaid,
    profiles: listed,
  });
  const corrections = await correctionsGoing(context, {
    allTurns: going.allTurns,
    facts: going.facts,
    entities: gone,
    texts: [...statements, ...names],
    details: byHand.details,
  });
  const renewed = corrections.renewed.map((each) => ({ ...each, id: renewedId(each.id) as CorrectionId }));
  const leavingCorrections = [...corrections.going, ...corrections.renewed.map(({ id }) => id)];
  const profilesLeaving = [...removed.profile, ...categories.profiles];
  const rows = removalsOf({ going, gone, corrections: leavingCorrections, profiles: profilesLeaving });
  const vectors = await vectorsOf(context, new Set(rows.map(({ id }) => id)));
  const removals = [...rows, ...vectors];
  const profile = [...rewritten.created, ...withoutSummaries(categories, [...names, ...unsaid], context)];
  const embedding = preview ? [] : await embedNodes(context, { profile }, undefined);
  const isRenewed = new Set<string>(corrections.renewed.map(({ id }) => id));
  const isRemoved = new Set(rows.map(({ kind, id }) => `${kind} ${id}`));
  return {
    changes: {
      unlinks: going.unlinks,
      nodes: { profile, embedding, correction: renewed },
      relationships: [...going.relationships, ...reopened.relationships],
      updates: [...updates, ...categories.updates].filter(({ kind, id }) => !isRemoved.has(`${kind} ${id}`)),
      removals,
    },
    counts: countRemovals(removals.filter(({ id }) => !isRenewed.has(id))),
    texts: {
      said: new Set([...texts.said, ...names]),
      told: without(new Set([...texts.told, ...categories.told]), rewritten.created),
    },
    vanishing: named.filter(({ owner, expiredAt }) => expiredAt === null && isUnsaid(left.get(owner))),
  };
}

/** Every version of those that are gone; of others those that may tell of what goes. */
function profilesGoing(
  profiles: readonly Pick<Profile, 'id' | 'owner' | 'createdAt'>[],
  {
    touched,
    gone,
    since,
    whole,
  }: {
    readonly touched: ReadonlySet<string>;
    readonly gone: ReadonlySet<string>;
    readonly since: DeletionSet['since'];
    /** Entities of which no version may stay. */
    readonly whole: ReadonlySet<string>;
  },
): string[] {
  const mayTell = (createdAt: number) => since === null || createdAt >= since;
  return profiles
    .filter(
      ({ owner, createdAt }) =>
        gone.has(owner) || whole.has(owner) || (touched.has(owner) && mayTell(createdAt)),
    )
    .map(({ id }) => id);
}

/** One of each owner: an import may have brought an older one back. */
function newestOf(profiles: readonly Profile[]): Profile[] {
  const sorted = profiles.toSorted((a, b) => a.createdAt - b.createdAt);
  return [...new Map(sorted.map((profile) => [profile.owner, profile])).values()];
}

/** A date stands in what is written of any other turn of that day. */
function namesOf(profiles: readonly Profile[]): string[] {
  return profiles.flatMap(({ name, aliases, tags }) => (tags.includes('date') ? [] : [name, ...aliases]));
}

/** What is written anew from what stays alone may come out as it was. */
function without(told: ReadonlySet<string>, written: readonly Profile[]): ReadonlySet<string> {
  const again = new Set(written.map(({ summary }) => summary));
  return new Set([...told].filter((text) => !again.has(text)));
}

/** Nobody who stays has spoken of it. */
function isUnsaid(left: EntityLeft | undefined): boolean {
  return (left?.mentionedIn.length ?? 0) === 0;
}

/** Turns that stay though they name an entity that is to go: they no longer speak for what is called after it. */
function namingTurns({ entities }: DeletionSet, left: ReadonlyMap<string, EntityLeft>): string[] {
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

async function rowsRemoved({ store, scope }: IngestContext, going: DeletionSet, profiles: readonly string[]) {
  const descriptions = going.descriptions.map(({ id }) => id);
  const rowsOf = async <K extends NodeKind>(kind: K, ids: Iterable<string>) =>
    store.get(scope, kind, [...ids]);
  return {
    episode: await rowsOf('episode', going.turns),
    segment: going.segments,
    fact: await rowsOf('fact', going.facts),
    description: await rowsOf('description', descriptions),
    profile: await rowsOf('profile', profiles),
  };
}

function removalsOf({
  going,
  gone,
  corrections,
  profiles,
}: {
  readonly going: DeletionSet;
  readonly gone: ReadonlySet<string>;
  readonly corrections: readonly string[];
  readonly profiles: readonly Profile[];
}): RowRemoval[] {
  const of = (kind: NodeKind, ids: Iterable<string>) => Array.from(ids, (id): RowRemoval => ({ kind, id }));
  const idsOf = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);
  return [
    ...of('episode', going.turns),
    ...of('segment', idsOf(going.segments)),
    ...of('description', idsOf(going.descriptions)),
    ...of('fact', going.facts),
    ...of('profile', idsOf(profiles)),
    ...of('entity', gone),
    ...of('failure', going.failures),
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

interface CorrectionsGoing {
  readonly going: ReadonlySet<string>;
  /** Those that stay without some names, under the ids that they have had. */
  readonly renewed: readonly Correction[];
}

interface WhatGoes extends Pick<DeletionSet, 'allTurns' | 'facts'> {
  /** Entities of which nothing is left. */
  readonly entities: ReadonlySet<string>;
  /** Statements and names that go. */
  readonly texts: readonly string[];
  /** Of corrections that lose a summary, what is left of their details. */
  readonly details: ReadonlyMap<string, string>;
}

/**
 * Corrections that go: those about nothing that stays, and the undoing of such. Others lose the names that go. A forgetting under way stays, and so does the record of past ones, which holds no text.
 */
async function correctionsGoing(
  { store, scope, index }: Pick<IngestContext, 'store' | 'scope' | 'index'>,
  goes: WhatGoes,
): Promise<CorrectionsGoing> {
  const candidates = index.corrections.all.filter(({ kind }) => kind !== 'forget' && kind !== 'retain');
  if (candidates.length === 0) return { going: new Set(), renewed: [] };
  const gone = new Set(goes.texts);
  const concerned = candidates.filter((each) => each.kind !== 'undo' && isConcerned(each, goes));
  const there = await rowsThere({ store, scope }, concerned);
  const stays = (id: string) =>
    there.has(id) && !goes.allTurns.has(id) && !goes.facts.has(id) && !goes.entities.has(id);
  const going = new Set<string>(
    candidates
      .filter((each) => isIdentifiedBy(each, gone) || (concerned.includes(each) && !each.targets.some(stays)))
      .map(({ id }) => id),
  );
  for (const { id, kind, targets } of candidates)
    if (kind === 'undo' && targets.some((target) => going.has(target))) going.add(id);
  const renewed = candidates.flatMap((each) => {
    if (going.has(each.id)) return [];
    const known = goes.details.get(each.id) ?? each.detail;
    const detail = withoutNames({ ...each, detail: known }, gone) ?? known;
    return detail === each.detail ? [] : [{ ...each, detail }];
  });
  return { going, renewed };
}

/** Entities that corrections bind to others: of one that was merged into another nothing but that is left. */
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

/** Of entities of which nothing is left, those that a correction ties to one that stays: merged ones have given it all. */
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

function isConcerned({ targets }: Correction, { allTurns, facts, entities }: WhatGoes): boolean {
  return targets.some((id) => allTurns.has(id) || facts.has(id) || entities.has(id));
}

async function rowsThere(
  { store, scope }: Pick<IngestContext, 'store' | 'scope'>,
  corrections: readonly Correction[],
): Promise<ReadonlySet<string>> {
  const ids = [...new Set(corrections.flatMap(({ targets }) => targets))];
  const there = new Set<string>();
  if (ids.length === 0) return there;
  for (const kind of ['episode', 'fact', 'entity'] as const)
    for (const { id } of await store.get(scope, kind, ids)) there.add(id);
  return there;
}

/** Summaries that somebody wrote by hand and that say again what turns that go say. */
interface SummariesByHand {
  /** Of corrections their details without such a summary. */
  readonly details: ReadonlyMap<string, string>;
  /** Whose summaries they are: every version of their profiles may hold one. */
  readonly owners: ReadonlySet<string>;
}

/** Undone corrections keep their words, too, and so are looked at like the others. */
async function summariesByHand(
  { store, scope, index: { corrections } }: Pick<IngestContext, 'store' | 'scope' | 'index'>,
  turns: ReadonlySet<string>,
): Promise<SummariesByHand> {
  const [details, owners] = [new Map<string, string>(), new Set<string>()];
  const edits = corrections.all.filter(({ kind }) => kind === 'edit-profile');
  if (edits.length === 0 || turns.size === 0) return { details, owners };
  const said = new SaidAgain();
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
