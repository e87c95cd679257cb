import { type CorrectionRecord, describeCorrection } from '../edit/correct/describe-correction.ts';
import { uncertainPairs } from '../edit/correct/find-rows.ts';
import { InvalidInputError } from '../errors/index.ts';
import { readDetail } from '../ingest/corrections/correction-detail.ts';
import { EffectiveCorrections } from '../ingest/corrections/effective-corrections.ts';
import type { IndexedScope } from '../ingest/ingest-context.ts';
import type { EntityId, Milliseconds } from '../model/ids.ts';
import type { CorrectionKind } from '../model/nodes.ts';
import type { ScopeIndex } from '../search/scope-index.ts';
import { Breather, gradually, type Steps } from '../util/breathe.ts';
import { hasEnded } from '../util/validity.ts';
import { factsOf, knownEntity } from './people.ts';
import { type CategoryStep, pathsUp } from './shown-categories.ts';

/** An entity beside another one. */
export interface EntityNeighbour {
  readonly id: EntityId;
  readonly name: string;
  /** Number of live facts about both. */
  readonly facts: number;
}

/** What the head of an entity's page shows. Its facts, turns and history are listed apart. */
export interface EntityPage {
  readonly id: EntityId;
  readonly name: string;
  readonly aliases: readonly string[];
  readonly summary: string;
  readonly tags: readonly string[];
  /** When memory first met it. */
  readonly createdAt: Milliseconds;
  /** Numbers of live facts about it. */
  readonly facts: { readonly holds: number; readonly ended: number };
  /** Number of live turns that mention it, and when the first and the last of them was said. */
  readonly turns: number;
  readonly said: readonly [first: Milliseconds, last: Milliseconds] | null;
  /** For each category that holds it: the way from there to the top. */
  readonly categories: readonly (readonly CategoryStep[])[];
  /** Those with the most facts in common first. Dates are left out. */
  readonly neighbours: readonly EntityNeighbour[];
  /** Entities that may be the same, the likeliest first. */
  readonly uncertain: readonly {
    readonly id: EntityId;
    readonly name: string;
    readonly aliases: readonly string[];
    readonly confidence: number;
  }[];
  /** Corrections of it in force, the newest first. */
  readonly corrections: readonly CorrectionRecord[];
  /** Entities that were merged into it. */
  readonly merged: readonly { readonly id: EntityId; readonly name: string }[];
}

const MOST_NEIGHBOURS = 24;
const ROWS_PER_STEP = 512;
/** Records of other kinds are not about one entity. */
const ABOUT_ENTITIES: ReadonlySet<CorrectionKind> = new Set([
  'edit-profile',
  'merge-entities',
  'split-entity',
  'keep-apart',
]);

/**
 * The page of an entity. One that was merged has the page of the entity that it was merged into. Reads the index, and
 * two rows and the uncertain pairs of the entity.
 *
 * @param entity Id, or a name that no other entity has.
 * @throws InvalidInputError if memory does not know it.
 */
export async function entityPage(context: IndexedScope, entity: string): Promise<EntityPage> {
  const { index, store, scope } = context;
  const id = entityOfPage(index, entity);
  const profile = index.entities.profileOf(id)!;
  const [[row], [written]] = await Promise.all([
    store.get(scope, 'entity', [id]),
    store.get(scope, 'profile', [profile.id]),
  ]);
  return {
    id,
    name: profile.name,
    aliases: profile.aliases,
    tags: profile.tags,
    summary: written?.summary ?? '',
    createdAt: row?.createdAt ?? profile.createdAt,
    facts: countFacts(context, id),
    ...(await gradually(mentions(index, id), new Breather())),
    categories: pathsUp(index, id),
    neighbours: await gradually(neighboursOf(index, id), new Breather()),
    uncertain: await uncertainOf(context, id),
    corrections: openCorrections(index, id),
    merged: mergedInto(index, id),
  };
}

function entityOfPage(index: ScopeIndex, entity: string): EntityId {
  const into = EffectiveCorrections.of(index.corrections).canonical(entity as EntityId);
  if (index.entities.profileOf(into) !== undefined) return into;
  if (index.hierarchy.has(entity)) throw new InvalidInputError('That id is of a category, not of an entity');
  return knownEntity(index, entity);
}

function countFacts({ index, clock }: IndexedScope, entity: string): EntityPage['facts'] {
  const now = clock();
  const facts = factsOf(index, entity);
  const ended = facts.filter((fact) => hasEnded(index.validity.invalidAt(fact), now)).length;
  return { holds: facts.length - ended, ended };
}

/** By the numbers of the turns: an entity of a long memory may have tens of thousands. */
function* mentions(index: ScopeIndex, entity: string): Steps<Pick<EntityPage, 'turns' | 'said'>> {
  const { timeline, conversation } = index.episodes;
  let [turns, first, last] = [0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  const mentioning = index.graphs.mentions.neighbours(index.entities.ids.ordinalOf(entity)!, 'in').ordinals;
  for (const [at, turn] of mentioning.entries()) {
    if (at % ROWS_PER_STEP === 0) yield;
    if (!conversation.isLive(turn)) continue;
    const said = timeline.validAt.at(turn);
    turns++;
    first = Math.min(first, said);
    last = Math.max(last, said);
  }
  return { turns, said: turns === 0 ? null : [first, last] };
}

function* neighboursOf(index: ScopeIndex, entity: EntityId): Steps<EntityNeighbour[]> {
  const { ids } = index.entities;
  const own = ids.ordinalOf(entity)!;
  const common = new Map<number, number>();
  const { offsets, others } = index.graphs.about.adjacency('out');
  for (const [at, fact] of factsOf(index, entity).entries()) {
    if (at % ROWS_PER_STEP === 0) yield;
    for (const other of new Set(others.subarray(offsets[fact], offsets[fact + 1])))
      if (other !== own) common.set(other, (common.get(other) ?? 0) + 1);
  }
  const ranked = [...common].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
  const found: EntityNeighbour[] = [];
  for (const [ordinal, facts] of ranked) {
    const id = ids.idOf(ordinal) as EntityId;
    const profile = index.entities.profileOf(id);
    if (profile === undefined || profile.tags.includes('date')) continue;
    if (found.push({ id, name: profile.name, facts }) === MOST_NEIGHBOURS) break;
  }
  return found;
}

async function uncertainOf(context: IndexedScope, entity: EntityId): Promise<EntityPage['uncertain']> {
  const pairs = await uncertainPairs(context, entity);
  const others = pairs.map(({ entities: [one, other], confidence }) => ({
    ...(one.id === entity ? other : one),
    confidence,
  }));
  const found = new Map(others.map((other) => [other.id, other]));
  return [...found.values()].sort((a, b) => b.confidence - a.confidence || (a.id < b.id ? -1 : 1));
}

/** Of the entity, and of those that were merged into it. */
function openCorrections({ corrections }: ScopeIndex, entity: EntityId): CorrectionRecord[] {
  const book = EffectiveCorrections.of(corrections);
  const isOfIt = (id: string | null) => id !== null && book.canonical(id as EntityId) === entity;
  return corrections.all
    .filter(({ kind, undoneAt }) => ABOUT_ENTITIES.has(kind) && undoneAt === null)
    .map((each) => describeCorrection(each, (id) => corrections.correction(id)))
    .filter(({ about, made }) => about.some(isOfIt) || isOfIt(made))
    .reverse();
}

function mergedInto({ corrections }: ScopeIndex, entity: EntityId): EntityPage['merged'] {
  const book = EffectiveCorrections.of(corrections);
  return corrections.all
    .filter(({ kind, undoneAt }) => kind === 'merge-entities' && undoneAt === null)
    .flatMap((each) => {
      const detail = readDetail(each);
      if (detail?.kind !== 'merge-entities') return [];
      const { id, names } = detail.merged;
      return id !== entity && book.canonical(id) === entity ? [{ id, name: names[0] ?? id }] : [];
    });
}
