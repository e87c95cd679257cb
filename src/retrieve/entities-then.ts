import { entitiesBelow } from '../hierarchy/traverse/entities-below.ts';
import type { Milliseconds } from '../model/ids.ts';
import type { Fact, Profile } from '../model/nodes.ts';
import type { ScopeIndex } from '../search/scope-index.ts';
import type { SearchContext } from './search-context.ts';
import type { TimeView } from './time-view.ts';

/** What is known of an entity at a time. */
export interface EntityThen {
  readonly name: string;
  /** Those of its profile; they may tell of later times. */
  readonly tags: readonly string[];
  /** Statements that held then. */
  readonly facts: readonly Pick<Fact, 'statement' | 'validAt'>[];
  /** Turns until then that mention it. */
  readonly mentions: number;
}

/** Sums an entity up, from nothing but what it is given. */
export type DescribeEntity = (entity: EntityThen) => {
  readonly summary: string;
  readonly tags: readonly string[];
};

/** More do not fit into a summary. */
const FACTS_PER_SUMMARY = 15;
const NAMES_PER_SUMMARY = 20;

/**
 * Profiles as they would have read at the time of the view: a profile draws on everything that is known of its
 * entity, so its summary may tell what came later.
 */
export async function profilesThen(
  {
    scope,
    store,
    index,
    view,
    describe,
  }: Omit<SearchContext, 'embedder'> & { view: TimeView; describe: DescribeEntity },
  profiles: readonly Profile[],
): Promise<ReadonlyMap<string, ReturnType<DescribeEntity>>> {
  const about = new Map(profiles.map(({ owner }) => [owner as string, factsOf(owner, { index, view })]));
  const rows = await store.get(scope, 'fact', [...new Set([...about.values()].flat())]);
  const facts = new Map<string, Fact>(rows.map((fact) => [fact.id, fact]));
  const known = (id: string) =>
    turnsUntil(index.mentionsOf(id), { index, saidBy: view.saidBy }).length > 0 ||
    factsOf(id, { index, view }).length > 0;
  const categories = profiles.filter(({ owner }) => index.hierarchy.has(owner));
  const entities = profiles.filter(({ owner }) => !index.hierarchy.has(owner));
  return new Map([
    ...categories.map(
      ({ owner, tags }) => [owner, { summary: namesThen(owner, index, known), tags }] as const,
    ),
    ...entities.map(
      ({ owner, name, tags }) =>
        [
          owner as string,
          describe({
            name,
            tags,
            facts: about.get(owner)!.flatMap((id) => facts.get(id) ?? []),
            mentions: turnsUntil(index.mentionsOf(owner), { index, saidBy: view.saidBy }).length,
          }),
        ] as const,
    ),
  ]);
}

/** A category's summary is drawn from what is below it, of which only this much was known. */
function namesThen(category: string, index: ScopeIndex, known: (entity: string) => boolean): string {
  const entities = entitiesBelow(category, index.hierarchy).filter(known);
  return entities
    .slice(0, NAMES_PER_SUMMARY)
    .map((id) => index.entities.profileOf(id)?.name ?? '')
    .filter((name) => name !== '')
    .join(', ');
}

/** Ids of those turns that had been said by then. */
export function turnsUntil<Id extends string>(
  turns: readonly Id[],
  { index: { episodes }, saidBy }: { index: ScopeIndex; saidBy: Milliseconds | null },
): readonly Id[] {
  if (saidBy === null) return turns;
  return turns.filter((id) => episodes.timeline.validAt.at(episodes.ids.ordinalOf(id)!) <= saidBy);
}

/** Those that held then, the newest. */
function factsOf(owner: string, { index, view }: { index: ScopeIndex; view: TimeView }): string[] {
  const entity = index.entities.ids.ordinalOf(owner);
  if (entity === undefined) return [];
  const { validity, facts } = index;
  return Array.from(index.graphs.about.neighbours(entity, 'in').ordinals)
    .filter((fact) => validity.isWithin(fact, view))
    .sort((a, b) => validity.validAt(b) - validity.validAt(a) || b - a)
    .slice(0, FACTS_PER_SUMMARY)
    .map((fact) => facts.ids.idOf(fact));
}
