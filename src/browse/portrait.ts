import { InvalidInputError } from '../errors/index.ts';
import { EffectiveCorrections } from '../ingest/corrections/effective-corrections.ts';
import type { IndexedScope } from '../ingest/ingest-context.ts';
import { namesOfEntities, viewKnown } from '../ingest/supersede/view-facts.ts';
import type { EntityId, FactId, Milliseconds } from '../model/ids.ts';
import type { Fact } from '../model/nodes.ts';
import { type PortraitRequest, portraitRequestSchema } from '../model/portrait-request.ts';
import type { ScopeIndex } from '../search/scope-index.ts';
import { Breather } from '../util/breathe.ts';
import { cached, groupBy } from '../util/collections.ts';
import { describeIssues } from '../util/describe-issues.ts';
import { inSecondPerson } from '../util/second-person.ts';
import { entityNameKey } from '../util/tidy.ts';
import { hasEnded } from '../util/validity.ts';
import { type FactLine, factLinesOf } from './fact-line.ts';
import {
  factsOf,
  type KnownPerson,
  knownEntity,
  knownPeople,
  mainSpeaker,
  namesOf,
  userOf,
} from './people.ts';
import { type Place, placeOf, SECTIONS, type SectionKey, STATE } from './portrait-sections.ts';

/** A fact as a portrait shows it. */
export interface PortraitFact extends FactLine {
  /** The statement as it is said to the user: "You live in Oslo". The same as `statement` where it names no user. */
  readonly said: string;
}

/** Facts of one kind. */
export interface PortraitSection {
  readonly key: SectionKey;
  readonly title: string;
  /** Pinned facts, states, what happened; of each the latest first. Plans and dates by their day. */
  readonly facts: readonly PortraitFact[];
  /** Number of its facts, the omitted ones included. */
  readonly total: number;
}

/** What memory holds about a person. */
export interface Portrait {
  /** Null if memory knows nobody yet. `isUser`: it is the one who asks. */
  readonly entity: { readonly id: EntityId; readonly name: string; readonly isUser: boolean } | null;
  /** The people whom memory knows best, those with the most facts first. */
  readonly people: readonly KnownPerson[];
  /** A few sentences: what matters most of each section. Empty where memory knows too little. */
  readonly summary: string;
  /**
   * The sections with facts, in their order. Each fact is in one of them, or in none; `changed` repeats those that
   * replaced another one.
   */
  readonly sections: readonly PortraitSection[];
  /** Facts that have ended, and plans and appointments whose time is over; the latest first. */
  readonly past: readonly PortraitFact[];
  /** Number of facts that have not ended, those without a section included. */
  readonly facts: number;
  /** Number of turns that the person spoke; of somebody who never spoke, turns that mention the person. */
  readonly turns: number;
  /** When the first of these turns was said. */
  readonly since: Milliseconds | null;
}

/** What is read of a scope. */
type PortrayedScope = Pick<IndexedScope, 'index' | 'scope' | 'clock'> & {
  readonly store: Pick<IndexedScope['store'], 'get' | 'relationships'>;
  /** Whether a fact, by its ordinal, belongs to the portrait. Default: all do. */
  readonly isShown?: (fact: number) => boolean;
};

const [DEFAULT_LIMIT, MOST_PEOPLE, MOST_PAST] = [50, 12, 100];
/** The newest facts that are read for sections. */
const MOST_READ = 2_000;
/** An undated plan is ahead for this long after it was told, unless nothing newer is known of the person. */
const PLANNED_FOR = 180 * 86_400_000;

/**
 * The portrait of a person: facts in sections that people use, by the rules of `portrait-sections.ts`
 * (docs/decisions/2026-11-29-portrait.md). It reads the rows of the person's newest facts.
 *
 * @throws InvalidInputError if the scope does not have the named entity, and for an invalid request.
 */
export async function portraitOf(context: PortrayedScope, request: PortraitRequest): Promise<Portrait> {
  const parsed = portraitRequestSchema.safeParse(request);
  if (!parsed.success)
    throw new InvalidInputError(`The request for a portrait is not valid: ${describeIssues(parsed.error)}`);
  const { entity: named, name = '', limit = DEFAULT_LIMIT } = parsed.data;
  const { index } = context;
  const known = await userOf(context, name);
  const user = known ?? (named === undefined ? await mainSpeaker(context) : null);
  const person = named === undefined ? user : knownEntity(index, named);
  const people = knownPeople(index, MOST_PEOPLE);
  if (person === null)
    return { entity: null, people, summary: '', sections: [], past: [], facts: 0, turns: 0, since: null };
  const { placed, past, facts } = await placedFacts(context, person);
  const bySection = groupBy<PlacedFact, Place['section'] | 'changed'>(placed, ({ section }) => section);
  bySection.set('changed', [...(await changedFacts(context, placed))]);
  const namesOfUser = user === null ? [] : namesOf(index, user);
  const linesOf = (shown: readonly PlacedFact[]): PortraitFact[] =>
    factLinesOf(
      context,
      shown.map(({ row }) => row),
    ).map((line) => ({ ...line, said: inSecondPerson(line.statement, namesOfUser) }));
  const sorted = (Object.keys(SECTIONS) as SectionKey[])
    .map((key) => ({ key, facts: (bySection.get(key) ?? []).toSorted(ORDERS[key] ?? byWeight) }))
    .filter((section) => section.facts.length > 0);
  const sections = sorted.map(({ key, facts: all }) => ({
    key,
    title: SECTIONS[key],
    facts: linesOf(all.slice(0, limit)),
    total: all.length,
  }));
  return {
    entity: { id: person, name: index.entities.profileOf(person)!.name, isUser: person === user },
    people,
    summary: inShort(sorted, linesOf),
    sections,
    past: linesOf(past.slice(0, MOST_PAST)),
    facts,
    ...spoken(index, person),
  };
}

interface PlacedFact extends Place {
  readonly row: Fact;
  readonly isPinned: boolean;
}

/** The facts that hold, each with its place; and those whose time is over, the latest first. */
async function placedFacts(
  { index, store, scope, clock, isShown = () => true }: PortrayedScope,
  person: EntityId,
): Promise<{
  readonly placed: readonly PlacedFact[];
  readonly past: readonly PlacedFact[];
  readonly facts: number;
}> {
  const now = clock();
  const book = EffectiveCorrections.of(index.corrections);
  const all = factsOf(index, person).filter(isShown);
  const newest = all
    .toSorted((a, b) => index.validity.validAt(b) - index.validity.validAt(a) || b - a)
    .slice(0, MOST_READ);
  const ids = newest.map((fact) => index.facts.ids.idOf(fact));
  const rows = ids.length === 0 ? [] : await store.get(scope, 'fact', ids);
  const latest = newest[0] === undefined ? 0 : index.validity.validAt(newest[0]);
  const names = namesOfEntities(index);
  const placing = {
    ...{ person, names: namesOf(index, person), now, planned: Math.min(now, latest) - PLANNED_FOR },
    aboutOf: aboutOf(index, person),
  };
  const breather = new Breather();
  const [placed, past]: [PlacedFact[], PlacedFact[]] = [[], []];
  for (const row of rows.filter(({ expiredAt }) => expiredAt === null)) {
    if (breather.isDue) await breather.breathe();
    const place = placeOf(viewKnown(row, { index, namesOf: names }), placing);
    const fact = { ...place, row, isPinned: book.isPinned(row.id) };
    if (hasEnded(row.invalidAt, now) || place.section === 'past') past.push(fact);
    else placed.push(fact);
  }
  const isCurrent = (fact: number) => !index.validity.hasEnd(fact) || index.validity.invalidAt(fact) > now;
  const over = ({ row }: PlacedFact) => row.invalidAt ?? row.event?.end ?? row.validAt;
  return {
    placed,
    past: past.sort((a, b) => over(b) - over(a) || compareIds(a, b)),
    facts: all.filter(isCurrent).length,
  };
}

/** Kinds, and names of the categories in all layers, of the entities of a fact besides the person. */
function aboutOf(
  index: ScopeIndex,
  person: EntityId,
): (fact: { readonly id: FactId }) => ReadonlySet<string> {
  const { entities, hierarchy } = index;
  const known = new Map<EntityId, readonly string[]>();
  const read = (entity: EntityId) => {
    const above = new Set(hierarchy.parentsOf(entity));
    for (const category of above) for (const parent of hierarchy.parentsOf(category)) above.add(parent);
    const names = [...above].map((category) => hierarchy.profileOf(category)?.name ?? '');
    return [...(entities.profileOf(entity)?.tags.slice(0, 1) ?? []), ...names];
  };
  return ({ id }) => {
    const others = index.entitiesOf(id).filter((entity) => entity !== person);
    return new Set(others.flatMap((entity) => cached(known, entity, () => read(entity))));
  };
}

function compareIds({ row: a }: PlacedFact, { row: b }: PlacedFact): number {
  return a.id < b.id ? 1 : -1;
}

/** Pinned facts, then those that say most; of each the latest first. */
function byWeight(a: PlacedFact, b: PlacedFact): number {
  return Number(b.isPinned) - Number(a.isPinned) || b.weight - a.weight || byTime(a, b);
}

function byTime(a: PlacedFact, b: PlacedFact): number {
  return b.row.validAt - a.row.validAt || compareIds(a, b);
}

/** Dates by their day, then plans without one. */
function byDay(a: PlacedFact, b: PlacedFact): number {
  const [one, other] = [a, b].map(({ row }) => row.event?.start ?? Number.POSITIVE_INFINITY);
  return one === other ? byWeight(a, b) : one! - other!;
}

const ORDERS: Partial<Record<SectionKey, typeof byDay>> = { ahead: byDay, changed: byTime };

/** Facts that hold and replaced another one. */
async function changedFacts(
  { store, scope }: PortrayedScope,
  placed: readonly PlacedFact[],
): Promise<readonly PlacedFact[]> {
  if (placed.length === 0) return [];
  const replacing = new Set<string>();
  for await (const edges of store.relationships(scope, 'SUPERSEDES', {
    from: placed.map(({ row }) => row.id),
  }))
    for (const { from } of edges) replacing.add(from);
  return placed.filter(({ row }) => replacing.has(row.id));
}

const [MOST_SENTENCES, LONGEST_SENTENCE] = [5, 110];

/** The first short state of each section, as sentences. */
function inShort(
  sections: readonly { readonly key: SectionKey; readonly facts: readonly PlacedFact[] }[],
  linesOf: (facts: readonly PlacedFact[]) => readonly PortraitFact[],
): string {
  const mayStand = ({ section, weight, row }: PlacedFact) =>
    weight >= (section === 'ahead' ? 1 : STATE) && row.statement.length <= LONGEST_SENTENCE;
  const states = sections.flatMap(({ key, facts }) =>
    key === 'changed' ? [] : (facts.find(mayStand) ?? []),
  );
  return linesOf(states.slice(0, MOST_SENTENCES))
    .map(({ said }) => (/[.!?]$/.test(said) ? said : `${said}.`))
    .join(' ');
}

/** A portrait as one text for prompts: the summary, then each section with its facts, a few of each. */
export function portraitText({ entity, summary, sections }: Portrait, most = 6): string {
  const blocks = sections.map(({ title, facts, total }) => {
    const more = total - Math.min(most, facts.length);
    const lines = facts.slice(0, most).map(({ said }) => `- ${said}`);
    return [`${title}:`, ...lines, ...(more > 0 ? [`(and ${more} more)`] : [])].join('\n');
  });
  return [...(entity === null ? [] : [entity.name]), ...(summary === '' ? [] : [summary]), ...blocks].join(
    '\n\n',
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
