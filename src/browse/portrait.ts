import type { IndexedScope } from '../ingest/ingest-context.ts';
import type { CategoryId, EntityId, Milliseconds } from '../model/ids.ts';
import { FACT_ROLES } from '../model/relationships.ts';
import type { ScopeIndex } from '../search/scope-index.ts';
import { groupBy } from '../util/collections.ts';
import { entityNameKey } from '../util/tidy.ts';
import { type FactLine, factLines } from './fact-line.ts';
import { bestKnown, factsOf, type KnownPerson, knownEntity, knownPeople, mainSpeaker } from './people.ts';

/** Whose portrait. */
export interface PortraitRequest {
  /** Id or name of an entity. Default: the entity with the user's `name`, else the speaker of most of the user's turns. */
  readonly entity?: string | undefined;
  /** The user's name. */
  readonly name?: string | undefined;
  /** Number of current facts that are listed, 200 by default; the counts are of all facts. */
  readonly limit?: number | undefined;
}

/** Facts of one kind. */
export interface PortraitGroup {
  readonly title: string;
  /** A low category of what the facts connect the person with; null for the facts without group. */
  readonly category: CategoryId | null;
  /** The latest ones first. */
  readonly facts: readonly FactLine[];
  /** Number of its facts, the omitted ones included. */
  readonly total: number;
}

/** What memory holds about a person. */
export interface Portrait {
  /** Null if memory knows nobody yet. */
  readonly entity: { readonly id: EntityId; readonly name: string } | null;
  /** The people whom memory knows best, those with the most facts first. */
  readonly people: readonly KnownPerson[];
  /** Facts that have not ended, by category; the largest group first, facts without a group last. */
  readonly groups: readonly PortraitGroup[];
  /** Facts that have ended, the latest end first. */
  readonly past: readonly FactLine[];
  /** Number of facts that have not ended. */
  readonly facts: number;
  /** Number of turns that the person spoke; of somebody who never spoke, turns that mention the person. */
  readonly turns: number;
  /** When the first of these turns was said. */
  readonly since: Milliseconds | null;
}

const OTHER = 'Other';
const DEFAULT_LIMIT = 200;
const MOST_PEOPLE = 12;
const MOST_PAST = 100;
/** A smaller group is listed with its facts among the others. */
const SMALLEST_GROUP = 2;
/** Number of facts that each listed group has room for; with more groups, the smallest are joined. */
const LEAST_LISTED = 3;

/**
 * The portrait of a person. It groups by the index, in time linear in the person's facts, and reads rows only of the
 * facts that it lists.
 *
 * @throws InvalidInputError if the scope does not have the named entity.
 */
export async function portraitOf(
  context: IndexedScope,
  { entity: named, name = '', limit = DEFAULT_LIMIT }: PortraitRequest,
): Promise<Portrait> {
  const { index, clock } = context;
  const person = named === undefined ? await userOf(context, name) : knownEntity(index, named);
  const people = knownPeople(index, MOST_PEOPLE);
  if (person === null) return { entity: null, people, groups: [], past: [], facts: 0, turns: 0, since: null };
  const now = clock();
  const all = factsOf(index, person);
  const current = all.filter((fact) => index.validity.isWithin(fact, { ...ALL_BEGUN, openAt: now }));
  const held = new Set(current);
  const past = all.filter((fact) => !held.has(fact));
  return {
    entity: { id: person, name: index.entities.profileOf(person)!.name },
    people,
    groups: await listed(context, grouped(index, person, current), limit),
    past: await pastFacts(context, past),
    facts: current.length,
    ...spoken(index, person),
  };
}

const ALL_BEGUN = { begunBy: Number.POSITIVE_INFINITY };

async function userOf(context: IndexedScope, name: string): Promise<EntityId | null> {
  const own = name === '' ? null : bestKnown(context.index, name);
  return own ?? (await mainSpeaker(context));
}

interface Group {
  readonly title: string;
  readonly category: CategoryId | null;
  readonly facts: number[];
}

/** Each fact once: in the lowest category that two facts have, the larger one on a tie. The others come last. */
function grouped(index: ScopeIndex, person: EntityId, facts: readonly number[]): Group[] {
  const own = index.entities.ids.ordinalOf(person)!;
  const above = new Map<number, readonly CategoryId[]>();
  const candidates = facts.map((fact) => {
    const categories = new Set<CategoryId>();
    for (const other of othersIn(index, fact, own)) {
      const known = above.get(other) ?? categoriesAbove(index, index.entities.ids.idOf(other));
      above.set(other, known);
      for (const category of known) categories.add(category);
    }
    return { fact, categories: [...categories] };
  });
  const sizes = new Map<CategoryId, number>();
  for (const { categories } of candidates)
    for (const category of categories) sizes.set(category, (sizes.get(category) ?? 0) + 1);
  const layerOf = (category: CategoryId) => index.hierarchy.category(category)?.layer ?? 0;
  const better = (a: CategoryId, b: CategoryId) =>
    layerOf(a) - layerOf(b) || sizes.get(b)! - sizes.get(a)! || (a < b ? -1 : 1);
  const groups = groupBy(
    candidates,
    ({ categories }) =>
      categories.filter((each) => sizes.get(each)! >= SMALLEST_GROUP).sort(better)[0] ?? null,
  );
  const titled = Array.from(groups, ([category, members]) => ({
    title: category === null ? OTHER : index.hierarchy.profileOf(category)!.name,
    category,
    facts: members.map(({ fact }) => fact),
  }));
  return withOthersLast(titled, SMALLEST_GROUP, Number.POSITIVE_INFINITY);
}

/** Largest first; groups that are too small, or beyond the number of groups, are joined with the others. */
function withOthersLast(groups: readonly Group[], smallest: number, most: number): Group[] {
  const sorted = groups
    .filter(({ category }) => category !== null)
    .sort((a, b) => b.facts.length - a.facts.length || (a.title < b.title ? -1 : 1));
  const kept = sorted.filter(({ facts }, at) => facts.length >= smallest && at < most);
  const rest = groups.filter((group) => !kept.includes(group)).flatMap(({ facts }) => facts);
  return rest.length === 0 ? kept : [...kept, { title: OTHER, category: null, facts: rest }];
}

/** Entities of a fact besides the person, without dates: these tell when, not what. The object comes first. */
function othersIn(index: ScopeIndex, fact: number, person: number): number[] {
  const { ordinals, types } = index.graphs.about.neighbours(fact, 'out');
  const object = FACT_ROLES.indexOf('object');
  return Array.from(ordinals, (entity, at) => ({ entity, isObject: types[at] === object }))
    .filter(({ entity }) => entity !== person && !isDate(index, entity))
    .sort((a, b) => Number(b.isObject) - Number(a.isObject))
    .map(({ entity }) => entity);
}

function isDate(index: ScopeIndex, entity: number): boolean {
  return index.entities.profileOf(index.entities.ids.idOf(entity))?.tags.includes('date') ?? false;
}

/** The categories of all layers above an entity that have a name. */
function categoriesAbove({ hierarchy }: ScopeIndex, entity: string): readonly CategoryId[] {
  const seen = new Set(hierarchy.parentsOf(entity));
  for (const category of seen) for (const parent of hierarchy.parentsOf(category)) seen.add(parent);
  return [...seen].filter((category) => (hierarchy.profileOf(category)?.name ?? '').trim() !== '');
}

async function listed(
  context: IndexedScope,
  groups: readonly Group[],
  limit: number,
): Promise<PortraitGroup[]> {
  const { index } = context;
  const shown = withOthersLast(groups, 1, Math.max(1, Math.floor(limit / LEAST_LISTED) - 1));
  const room = sharedOut(
    shown.map(({ facts }) => facts.length),
    limit,
  );
  const newest = shown.map(({ facts }, at) =>
    facts
      .toSorted((a, b) => index.validity.validAt(b) - index.validity.validAt(a) || b - a)
      .slice(0, room[at])
      .map((fact) => index.facts.ids.idOf(fact)),
  );
  const lines = new Map((await factLines(context, newest.flat())).map((line) => [line.id as string, line]));
  return shown.map(({ title, category, facts }, at) => ({
    title,
    category,
    total: facts.length,
    facts: newest[at]!.flatMap((id) => lines.get(id) ?? []),
  }));
}

/** Divides a number of places among groups: evenly, and what small ones leave goes to the larger ones. */
function sharedOut(sizes: readonly number[], places: number): number[] {
  const bySize = sizes.map((size, at) => ({ size, at })).sort((a, b) => a.size - b.size);
  const room: number[] = sizes.map(() => 0);
  let left = places;
  for (const [done, { size, at }] of bySize.entries()) {
    room[at] = Math.min(size, Math.floor(left / (bySize.length - done)));
    left -= room[at];
  }
  return room;
}

async function pastFacts(context: IndexedScope, past: readonly number[]): Promise<FactLine[]> {
  const { index } = context;
  const latest = past
    .toSorted((a, b) => index.validity.invalidAt(b) - index.validity.invalidAt(a) || b - a)
    .slice(0, MOST_PAST);
  return factLines(
    context,
    latest.map((fact) => index.facts.ids.idOf(fact)),
  );
}

/** Turns by the speaker, by any of the person's names; else turns that mention the person. */
function spoken(index: ScopeIndex, person: EntityId): Pick<Portrait, 'turns' | 'since'> {
  const { timeline, conversation } = index.episodes;
  const profile = index.entities.profileOf(person)!;
  const names = new Set([profile.name, ...profile.aliases].map(entityNameKey));
  const speakers = new Set(
    timeline.liveSpeakers().filter((speaker) => names.has(entityNameKey(timeline.speakers[speaker]!))),
  );
  const mentions = speakers.size > 0 ? [] : index.mentionsOf(person);
  let [turns, since] = [0, Number.POSITIVE_INFINITY];
  const count = (turn: number) => {
    turns++;
    since = Math.min(since, timeline.validAt.at(turn));
  };
  for (const id of mentions) count(index.episodes.ids.ordinalOf(id)!);
  if (speakers.size > 0)
    for (let turn = 0; turn < timeline.speaker.length; turn++)
      if (speakers.has(timeline.speaker.at(turn)) && conversation.isLive(turn)) count(turn);
  return { turns, since: turns === 0 ? null : since };
}
