import type { RowUpdate } from '../../model/graph-changes.ts';
import type { EntityId, FactId, Milliseconds, ProfileId } from '../../model/ids.ts';
import type { Fact, Profile } from '../../model/nodes.ts';
import type { Relationship } from '../../model/relationships.ts';
import { Breather } from '../../util/breathe.ts';
import { isoDay } from '../../util/iso-day.ts';
import type { StaleRows } from '../admit/superseded-turns.ts';
import { EffectiveCorrections } from '../corrections/effective-corrections.ts';
import { ENTITY_KINDS } from '../extract/extractor.ts';
import type { IngestContext } from '../ingest-context.ts';
import type { ResolvedEntity } from '../resolve/resolved-entities.ts';
import { FACTS_PER_SUMMARY } from './defaults.ts';
import { summarizeEntity } from './profile-summary.ts';

export interface ProfileInput {
  readonly entities: readonly ResolvedEntity[];
  /** The new facts of the call, and its MENTIONS and ABOUT edges. */
  readonly facts: readonly Fact[];
  readonly relationships: readonly Relationship[];
  readonly now: Milliseconds;
  /** Which edges trigger a new version when their number doubles: mentions where turns are consolidated, else facts. */
  readonly grownBy: 'MENTIONS' | 'ABOUT';
  /** Entities with new descriptions that their profiles must use. Default: none. */
  readonly described?: ReadonlySet<EntityId>;
  /** Rows that are removed from search in this call; no new profile may use them. */
  readonly stale: StaleRows;
  /** Other changes of stored facts: facts that ended, were corrected, or hold again. */
  readonly updates?: readonly RowUpdate[];
}

export interface RefreshedProfiles {
  readonly created: Profile[];
  readonly expired: RowUpdate[];
  /** Entities with a fact or turn that expired, ended or holds again, so that their summary is outdated. */
  readonly outdated: ReadonlySet<EntityId>;
}

/**
 * Creates new profile versions for the entities of a call: for new entities, for new aliases and descriptions, when
 * something that a profile depends on expires or ends, and when the number of mentions (or of facts) has doubled. A profile is a row
 * and two vectors that are never overwritten. If each mention created one, the size of a memory would grow with the
 * square of the mentions of its main entities. An entity without remaining mentions and facts loses its profile and
 * is no longer found by search.
 */
export async function refreshProfiles(
  context: IngestContext,
  input: ProfileInput,
): Promise<RefreshedProfiles> {
  const changed = changedFacts(input.updates ?? []);
  const outdated = new Set([
    ...input.stale.entities,
    ...[...changed.keys()].flatMap((fact) => context.index.entitiesOf(fact)),
  ]);
  const added = countEdges(input.relationships, 'MENTIONS');
  const growth = countEdges(input.relationships, input.grownBy);
  const due = [...input.entities, ...indirectlyAffected(context, input.entities, outdated)].filter(
    (entity) =>
      outdated.has(entity.id) ||
      input.described?.has(entity.id) ||
      isDue(entity, { growth: growth.get(entity.id) ?? 0, grownBy: input.grownBy, context }),
  );
  const statements = await statementsAbout(context, due, { ...input, changed });
  const mentions = new Map(
    due.map(({ id }) => [id, remainingMentions(id, context, input) + (added.get(id) ?? 0)] as const),
  );
  const created: Profile[] = [];
  const breather = new Breather();
  for (const entity of due) {
    if (!entity.isNew && mentions.get(entity.id)! === 0 && statements.get(entity.id)!.length === 0) continue;
    await breather.breathe();
    created.push(profileOf(entity, { context, input, mentions, statements }));
  }
  const expired = due.flatMap(({ id }): RowUpdate[] => {
    const before = context.index.entities.profileOf(id);
    return before === undefined ? [] : [{ kind: 'profile', id: before.id, set: { expiredAt: input.now } }];
  });
  return { created, expired, outdated };
}

function changedFacts(updates: readonly RowUpdate[]): ReadonlyMap<string, Partial<Fact>> {
  const changed = new Map<string, Partial<Fact>>();
  for (const { kind, id, set } of updates)
    if (kind === 'fact') changed.set(id, { ...changed.get(id), ...set });
  return changed;
}

/** Entities that this call affects only by rows that expire or change, not by new turns. */
function indirectlyAffected(
  { index }: IngestContext,
  entities: readonly ResolvedEntity[],
  outdated: ReadonlySet<EntityId>,
): ResolvedEntity[] {
  const named = new Set<string>(entities.map(({ id }) => id));
  return [...outdated].flatMap((id) => {
    const profile = index.entities.profileOf(id);
    if (profile === undefined || named.has(id)) return [];
    const kind = ENTITY_KINDS.find((each) => profile.tags.includes(each)) ?? 'thing';
    return [{ id, isNew: false, name: profile.name, kind, aliases: new Set(profile.aliases) }];
  });
}

function remainingMentions(id: EntityId, { index }: IngestContext, { stale }: ProfileInput): number {
  if (!stale.entities.has(id)) return index.mentionCount(id);
  return index.mentionsOf(id).filter((episode) => !stale.episodes.has(episode)).length;
}

function isDue(
  entity: ResolvedEntity,
  {
    growth,
    grownBy,
    context: { index },
  }: { growth: number; grownBy: ProfileInput['grownBy']; context: IngestContext },
): boolean {
  if (entity.isNew || index.entities.profileOf(entity.id) === undefined) return true;
  if (entity.aliases.size > (index.entities.profileOf(entity.id)?.aliases.length ?? 0)) return true;
  const before = grownBy === 'MENTIONS' ? index.mentionCount(entity.id) : index.factsAbout(entity.id).length;
  return Math.floor(Math.log2(before + growth || 1)) > Math.floor(Math.log2(before || 1));
}

function profileOf(
  entity: ResolvedEntity,
  {
    context,
    input,
    mentions,
    statements,
  }: {
    context: IngestContext;
    input: ProfileInput;
    mentions: ReadonlyMap<string, number>;
    statements: ReadonlyMap<string, readonly Fact[]>;
  },
): Profile {
  const { summary, tags } = summarizeEntity({
    name: entity.name,
    kind: entity.kind,
    facts: (statements.get(entity.id) ?? []).map((fact) => withEnd(fact, input.now)),
    mentions: mentions.get(entity.id) ?? 0,
  });
  return EffectiveCorrections.of(context.index.corrections).withUserEdits(entity.id, {
    id: context.newId() as ProfileId,
    owner: entity.id,
    name: entity.name,
    aliases: [...entity.aliases],
    summary,
    tags,
    createdAt: input.now,
    expiredAt: null,
  });
}

/** Marks an ended fact as such in its statement. */
function withEnd(fact: Fact, now: Milliseconds): Fact {
  const { statement, invalidAt } = fact;
  if (invalidAt === null || invalidAt > now) return fact;
  return { ...fact, statement: `${statement} (until ${isoDay(invalidAt)})` };
}

function countEdges(
  relationships: readonly Relationship[],
  wanted: ProfileInput['grownBy'],
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { kind, to } of relationships) if (kind === wanted) counts.set(to, (counts.get(to) ?? 0) + 1);
  return counts;
}

type ChangedFacts = ReadonlyMap<string, Partial<Fact>>;

/** Facts per entity that hold now; ended facts only if there are no others. */
async function statementsAbout(
  context: IngestContext,
  entities: readonly ResolvedEntity[],
  input: ProfileInput & { readonly changed: ChangedFacts },
): Promise<ReadonlyMap<EntityId, readonly Fact[]>> {
  const { store, scope } = context;
  const fresh = new Map(input.facts.map((fact) => [fact.id as string, fact]));
  const known = new Map(
    entities.filter((entity) => !entity.isNew).map(({ id }) => [id, newestAbout(id, context, input)]),
  );
  const stored = await store.get(scope, 'fact', [...new Set([...known.values()].flat())]);
  const facts = new Map<string, Fact>(fresh);
  for (const fact of stored) facts.set(fact.id, { ...fact, ...input.changed.get(fact.id) });
  const about = new Map<EntityId, Fact[]>(entities.map(({ id }) => [id, []]));
  for (const [id, ids] of known) for (const fact of ids) push(about, id, facts.get(fact));
  for (const { kind, from, to } of input.relationships)
    if (kind === 'ABOUT') push(about, to as EntityId, fresh.get(from));
  return new Map(Array.from(about, ([id, all]) => [id, currentFacts(all, input.now)]));
}

/** Stored facts about an entity; ended ones only if no other holds. */
function newestAbout(
  entity: EntityId,
  { index }: IngestContext,
  { stale, changed, now }: ProfileInput & { readonly changed: ChangedFacts },
): readonly FactId[] {
  const remaining = index.factsAbout(entity).filter((fact) => !stale.facts.has(fact));
  const hasEnded = (fact: FactId) => {
    const invalidAt = changed.get(fact)?.invalidAt;
    if (invalidAt !== undefined) return invalidAt !== null && invalidAt <= now;
    const ordinal = index.facts.ids.ordinalOf(fact)!;
    return !index.validity.isWithin(ordinal, { begunBy: Number.POSITIVE_INFINITY, openAt: now });
  };
  const open = remaining.filter((fact) => !hasEnded(fact));
  return (open.length > 0 ? open : remaining).slice(-FACTS_PER_SUMMARY);
}

function currentFacts(facts: readonly Fact[], now: Milliseconds): readonly Fact[] {
  const open = facts.filter(({ invalidAt }) => invalidAt === null || invalidAt > now);
  return open.length > 0 ? open : facts;
}

function push(about: Map<EntityId, Fact[]>, entity: EntityId, fact: Fact | undefined): void {
  if (fact !== undefined && fact.expiredAt === null) about.get(entity)?.push(fact);
}
