import { InvalidInputError } from '../errors/index.ts';
import type { IndexedScope } from '../ingest/ingest-context.ts';
import type { EntityId, EpisodeId, Milliseconds } from '../model/ids.ts';
import type { Episode, Trust } from '../model/nodes.ts';
import { shorten } from '../util/tidy.ts';
import { type FactLine, factLines } from './fact-line.ts';
import { type Page, type PageRequest, pageOfSorted } from './history/page.ts';
import { injectionSigns, type SignFound, visible } from './injection-signs.ts';
import { factsOf } from './people.ts';
import type { ReviewCache, ReviewLists } from './review-lists.ts';

/**
 * What a person can decide: `contradiction`, facts or topics that cannot both be true, and `merge`, two people who may be
 * one; of each at most five are open at a time. What developers may look at, and what needs no decision: `injection`: turns that may try to instruct a model, and turns of low trust on which a fact rests. `unsure`:
 * facts of little confidence. `set-aside`: turns that could not be read. `dropped`: turns without lasting content, by the
 * memory gate; for information.
 */
export const REVIEW_KINDS = [
  'contradiction',
  'merge',
  'injection',
  'unsure',
  'set-aside',
  'dropped',
] as const;
export type ReviewKind = (typeof REVIEW_KINDS)[number];
export type ReviewCounts = Readonly<Record<ReviewKind, number>>;

/** A turn as evidence. Characters that are not shown have their code instead. */
export interface ReviewTurn {
  readonly id: EpisodeId;
  readonly session: string;
  readonly speaker: string;
  readonly at: Milliseconds;
  readonly source: string;
  readonly trust: Trust;
  readonly text: string;
}

/** A fact, with the first of its turns. */
export interface ReviewFact {
  readonly line: FactLine;
  readonly said: readonly ReviewTurn[];
}

export interface ReviewEntity {
  readonly id: EntityId;
  readonly name: string;
  readonly aliases: readonly string[];
  /** Number of turns that mention it, and of facts about it; a few of the facts, the latest first. */
  readonly turns: number;
  readonly facts: number;
  readonly latest: readonly FactLine[];
  /** The last turns that mention it. */
  readonly said: readonly ReviewTurn[];
}

export interface ReviewTopic {
  readonly summary: string;
  readonly said: readonly ReviewTurn[];
}

interface ItemOf<Kind extends ReviewKind> {
  readonly kind: Kind;
  /** Of the item; the same as long as its rows are. */
  readonly id: string;
}

export type ReviewItem =
  | (ItemOf<'contradiction'> & {
      /** `weak-end`: the second fact ended the first one, although memory is less sure of it. */
      readonly reason: 'conflict' | 'weak-end';
      /** The one that began earlier comes first. */
      readonly facts: readonly [ReviewFact, ReviewFact];
    })
  | (ItemOf<'contradiction'> & {
      readonly reason: 'topics';
      readonly topics: readonly [ReviewTopic, ReviewTopic];
    })
  | (ItemOf<'merge'> & {
      readonly confidence: number;
      readonly entities: readonly [ReviewEntity, ReviewEntity];
    })
  | (ItemOf<'injection'> & {
      readonly turn: ReviewTurn;
      /** Empty for a turn that is listed for its low trust. */
      readonly signs: readonly SignFound[];
      readonly facts: readonly FactLine[];
    })
  | (ItemOf<'unsure'> & { readonly fact: ReviewFact })
  | (ItemOf<'set-aside'> & {
      readonly turn: ReviewTurn;
      readonly failure: {
        readonly code: string;
        readonly reason: string;
        readonly attempts: number;
      } | null;
    })
  | (ItemOf<'dropped'> & { readonly turn: ReviewTurn });

export interface ReviewRequest extends PageRequest {
  readonly kind: ReviewKind;
  /** Ids of items that a person has looked at and found in order. */
  readonly dismissed?: ReadonlySet<string> | undefined;
}

const LONGEST_TEXT = 1_200;
const TURNS_PER_FACT = 2;
const TURNS_PER_TOPIC = 3;
const FACTS_PER_ENTITY = 4;
const TURNS_PER_ENTITY = 2;
const FACTS_PER_TURN = 20;

/** The number of items of each kind, without those that were dismissed. */
export async function reviewCounts(
  context: IndexedScope,
  cache: ReviewCache,
  dismissed: ReadonlySet<string> = new Set(),
): Promise<ReviewCounts> {
  const counts: Partial<Record<ReviewKind, number>> = {};
  // One after the other, so that only one of them holds rows.
  for (const kind of REVIEW_KINDS)
    counts[kind] = openOf(kind, await cache.list(context, kind), dismissed).length;
  return counts as ReviewCounts;
}

/**
 * Items of one kind, page by page: the surest or the latest first. Items whose rows went meanwhile are left out.
 *
 * @throws InvalidInputError for an invalid page.
 */
export async function reviewItems(
  context: IndexedScope,
  cache: ReviewCache,
  { kind, dismissed = new Set(), ...page }: ReviewRequest,
): Promise<Page<ReviewItem>> {
  if (!REVIEW_KINDS.includes(kind)) throw new InvalidInputError('There is no such kind of review');
  const open = openOf(kind, await cache.list(context, kind), dismissed);
  const shown = pageOfSorted(open, ({ at, id }) => ({ at, createdAt: 0, id }), page);
  const itemsOf = ITEMS[kind] as (
    context: IndexedScope,
    listed: typeof open,
  ) => Promise<readonly ReviewItem[]>;
  return { ...shown, items: await itemsOf(context, shown.items) };
}

const ITEMS: {
  readonly [Kind in ReviewKind]: (
    context: IndexedScope,
    listed: ReviewLists[Kind],
  ) => Promise<readonly ReviewItem[]>;
} = {
  contradiction: contradictionItems,
  merge: mergeItems,
  injection: injectionItems,
  unsure: unsureItems,
  'set-aside': setAsideItems,
  dropped: turnItems,
};

/** Of what a person decides, the next ones follow when these are settled. */
const MOST_TO_DECIDE = 5;

function openOf<T extends { readonly id: string }>(
  kind: ReviewKind,
  all: readonly T[],
  dismissed: ReadonlySet<string>,
): readonly T[] {
  const open = dismissed.size === 0 ? all : all.filter(({ id }) => !dismissed.has(id));
  return kind === 'contradiction' || kind === 'merge' ? open.slice(0, MOST_TO_DECIDE) : open;
}

async function contradictionItems(
  context: IndexedScope,
  listed: ReviewLists['contradiction'],
): Promise<ReviewItem[]> {
  const facts = await reviewFacts(
    context,
    listed.flatMap((each) => (each.reason === 'topics' ? [] : each.facts)),
  );
  const topics = await reviewTopics(
    context,
    listed.flatMap((each) => (each.reason === 'topics' ? each.segments : [])),
  );
  return listed.flatMap((each): ReviewItem[] => {
    const item = { kind: 'contradiction', id: each.id } as const;
    if (each.reason === 'topics') {
      const [one, other] = each.segments.map((id) => topics.get(id));
      if (one === undefined || other === undefined) return [];
      return [{ ...item, reason: each.reason, topics: [one, other] }];
    }
    const [one, other] = each.facts.map((id) => facts.get(id));
    if (one === undefined || other === undefined) return [];
    return [{ ...item, reason: each.reason, facts: [one, other] }];
  });
}

async function mergeItems(context: IndexedScope, listed: ReviewLists['merge']): Promise<ReviewItem[]> {
  const ids = new Set(listed.flatMap(({ entities }) => entities));
  const drafts = new Map([...ids].map((id) => [id, draftEntity(context, id)]));
  const found = [...drafts.values()].filter((draft) => draft !== null);
  const lines = await factLines(
    context,
    found.flatMap(({ latest }) => latest),
  );
  const facts = new Map<string, FactLine>(lines.map((line) => [line.id, line]));
  const turns = await turnsById(
    context,
    found.flatMap(({ said }) => said),
  );
  const shown = (id: EntityId): ReviewEntity | null => {
    const draft = drafts.get(id) ?? null;
    return (
      draft && {
        ...draft,
        latest: draft.latest.flatMap((fact) => facts.get(fact) ?? []),
        said: draft.said.flatMap((turn) => turns.get(turn) ?? []),
      }
    );
  };
  return listed.flatMap(({ id, entities, confidence }): ReviewItem[] => {
    const [one, other] = [shown(entities[0]), shown(entities[1])];
    return one === null || other === null ? [] : [{ kind: 'merge', id, confidence, entities: [one, other] }];
  });
}

/** An entity before its rows are read. */
function draftEntity({ index }: IndexedScope, id: EntityId) {
  const profile = index.entities.profileOf(id);
  if (profile === undefined) return null;
  const facts = factsOf(index, id);
  const latest = facts
    .toSorted((a, b) => index.validity.validAt(b) - index.validity.validAt(a) || b - a)
    .slice(0, FACTS_PER_ENTITY)
    .map((fact) => index.facts.ids.idOf(fact));
  const { name, aliases } = profile;
  return {
    id,
    name,
    aliases,
    turns: index.mentionCount(id),
    facts: facts.length,
    latest,
    said: index.mentionsOf(id).slice(-TURNS_PER_ENTITY),
  };
}

async function injectionItems(
  context: IndexedScope,
  listed: ReviewLists['injection'],
): Promise<ReviewItem[]> {
  const rows = await liveTurns(context, listed);
  const drafts = rows.map((row) => ({
    row,
    restingOn: context.index.factsEvidencedBy(row.id).slice(0, FACTS_PER_TURN),
  }));
  const lines = await factLines(context, [...new Set(drafts.flatMap(({ restingOn }) => restingOn))]);
  const facts = new Map<string, FactLine>(lines.map((line) => [line.id, line]));
  return drafts.map(({ row, restingOn }) => ({
    kind: 'injection',
    id: row.id,
    turn: reviewTurn(row),
    signs: injectionSigns(row.content),
    facts: restingOn.flatMap((id) => facts.get(id) ?? []),
  }));
}

async function unsureItems(context: IndexedScope, listed: ReviewLists['unsure']): Promise<ReviewItem[]> {
  const facts = await reviewFacts(
    context,
    listed.map(({ id }) => id),
  );
  return listed.flatMap(({ id }) => {
    const fact = facts.get(id);
    return fact === undefined ? [] : { kind: 'unsure' as const, id, fact };
  });
}

async function setAsideItems(context: IndexedScope, listed: ReviewLists['set-aside']): Promise<ReviewItem[]> {
  const { store, scope } = context;
  const ids = listed.map(({ id }) => id);
  const units = new Map<string, string[]>();
  if (ids.length > 0)
    for await (const edges of store.relationships(scope, 'FAILED_IN', { from: ids }))
      for (const { from, to } of edges) units.set(from, [...(units.get(from) ?? []), to]);
  const failures = await store.get(scope, 'failure', [...new Set([...units.values()].flat())]);
  const open = new Map(
    failures.filter(({ expiredAt }) => expiredAt === null).map((row) => [row.id as string, row]),
  );
  return (await liveTurns(context, listed)).map((row) => {
    const failure = (units.get(row.id) ?? []).flatMap((id) => open.get(id) ?? []).at(-1);
    return {
      kind: 'set-aside',
      id: row.id,
      turn: reviewTurn(row),
      failure:
        failure === undefined
          ? null
          : { code: failure.code, reason: failure.reason, attempts: failure.attempts },
    };
  });
}

async function turnItems(context: IndexedScope, listed: ReviewLists['dropped']): Promise<ReviewItem[]> {
  const rows = await liveTurns(context, listed);
  return rows.map((row) => ({ kind: 'dropped', id: row.id, turn: reviewTurn(row) }));
}

async function liveTurns(
  { store, scope }: IndexedScope,
  turns: readonly { readonly id: string }[],
): Promise<Episode[]> {
  const ids = turns.map(({ id }) => id);
  const rows = ids.length === 0 ? [] : await store.get(scope, 'episode', ids);
  return rows.filter(({ expiredAt }) => expiredAt === null);
}

async function turnsById(
  context: IndexedScope,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ReviewTurn>> {
  const rows = await liveTurns(
    context,
    Array.from(new Set(ids), (id) => ({ id })),
  );
  return new Map(rows.map((row) => [row.id as string, reviewTurn(row)]));
}

async function reviewFacts(
  context: IndexedScope,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ReviewFact>> {
  const lines = await factLines(context, [...new Set(ids)]);
  const sources = (line: FactLine) => line.sources.slice(0, TURNS_PER_FACT).map(({ episode }) => episode);
  const turns = await turnsById(context, lines.flatMap(sources));
  return new Map(
    lines.map((line) => [
      line.id as string,
      { line, said: sources(line).flatMap((id) => turns.get(id) ?? []) },
    ]),
  );
}

async function reviewTopics(
  context: IndexedScope,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ReviewTopic>> {
  const { store, scope, index } = context;
  const rows = ids.length === 0 ? [] : await store.get(scope, 'segment', [...new Set(ids)]);
  const turnsIn = (id: string) => index.turnsOf(id).slice(0, TURNS_PER_TOPIC);
  const turns = await turnsById(
    context,
    rows.flatMap(({ id }) => turnsIn(id)),
  );
  return new Map(
    rows.map(({ id, summary }) => [
      id as string,
      { summary, said: turnsIn(id).flatMap((turn) => turns.get(turn) ?? []) },
    ]),
  );
}

function reviewTurn({
  id,
  session,
  speaker,
  validAt,
  source,
  trust,
  content,
  attachments,
}: Episode): ReviewTurn {
  const said = content === '' ? (attachments[0]?.description ?? '') : content;
  const text = visible(shorten(said, LONGEST_TEXT));
  return { id, session, speaker, source, trust, text, at: validAt };
}
