import type { RowUpdate } from '../model/graph-changes.ts';
import type { EntityId, FactId, Milliseconds, ProfileId } from '../model/ids.ts';
import type { Fact, Profile } from '../model/nodes.ts';
import type { Relationship } from '../model/relationships.ts';
import { Breather } from '../util/breathe.ts';
import { ENTITY_KINDS } from './extractor.ts';
import type { IngestContext } from './ingest-context.ts';
import type { Leaving } from './leaving.ts';
import { summarizeEntity } from './local/profile-summary.ts';
import type { ResolvedEntity } from './resolve/resolved-entity.ts';

export interface ProfileInput {
  readonly entities: readonly ResolvedEntity[];
  /** The new facts of the call and its MENTIONS and ABOUT edges. */
  readonly facts: readonly Fact[];
  readonly relationships: readonly Relationship[];
  readonly now: Milliseconds;
  /** Which edges of an entity a new version waits for: mentions where turns come in, else facts about it. */
  readonly grownBy: 'MENTIONS' | 'ABOUT';
  /** What leaves search in this call: no profile may go on telling of it. */
  readonly leaving: Leaving;
}

/** Older facts that a summary may draw on, the newest first. */
const FACTS_PER_SUMMARY = 40;

/**
 * New profile versions for the entities of a call: at first sight, under a new alias, when something that they
 * were told of leaves, and whenever the number of mentions (or of facts) has doubled. A profile is a row and two
 * vectors that are never overwritten, so writing one for every mention would let a memory grow with the square of
 * what is said of its main people. An entity of which nothing is left loses its profile, and with it its place in
 * search.
 */
export async function refreshProfiles(
  context: IngestContext,
  input: ProfileInput,
): Promise<{ created: Profile[]; expired: RowUpdate[] }> {
  const added = countEdges(input.relationships, 'MENTIONS');
  const growth = countEdges(input.relationships, input.grownBy);
  const due = [...input.entities, ...entitiesLeftBehind(context, input)].filter(
    (entity) =>
      input.leaving.entities.has(entity.id) ||
      isDue(entity, { growth: growth.get(entity.id) ?? 0, grownBy: input.grownBy, context }),
  );
  const statements = await statementsAbout(context, due, input);
  const mentions = new Map(
    due.map(({ id }) => [id, mentionsLeft(id, context, input) + (added.get(id) ?? 0)] as const),
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
  return { created, expired };
}

/** Entities that only what leaves has told of in this call. */
function entitiesLeftBehind({ index }: IngestContext, { entities, leaving }: ProfileInput): ResolvedEntity[] {
  const named = new Set<string>(entities.map(({ id }) => id));
  return [...leaving.entities].flatMap((id) => {
    const profile = index.entities.profileOf(id);
    if (profile === undefined || named.has(id)) return [];
    const kind = ENTITY_KINDS.find((each) => profile.tags.includes(each)) ?? 'thing';
    return [{ id, isNew: false, name: profile.name, kind, aliases: new Set(profile.aliases) }];
  });
}

function mentionsLeft(id: EntityId, { index }: IngestContext, { leaving }: ProfileInput): number {
  if (!leaving.entities.has(id)) return index.mentionCount(id);
  return index.mentionsOf(id).filter((episode) => !leaving.episodes.has(episode)).length;
}

function isDue(
  entity: ResolvedEntity,
  {
    growth,
    grownBy,
    context: { index },
  }: { growth: number; grownBy: ProfileInput['grownBy']; context: IngestContext },
): boolean {
  if (entity.isNew) return true;
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
    facts: statements.get(entity.id) ?? [],
    mentions: mentions.get(entity.id) ?? 0,
  });
  return {
    id: context.newId() as ProfileId,
    owner: entity.id,
    name: entity.name,
    aliases: [...entity.aliases],
    summary,
    tags,
    createdAt: input.now,
    expiredAt: null,
  };
}

function countEdges(
  relationships: readonly Relationship[],
  wanted: ProfileInput['grownBy'],
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { kind, to } of relationships) if (kind === wanted) counts.set(to, (counts.get(to) ?? 0) + 1);
  return counts;
}

async function statementsAbout(
  { index, store, scope }: IngestContext,
  entities: readonly ResolvedEntity[],
  input: ProfileInput,
): Promise<ReadonlyMap<EntityId, readonly Fact[]>> {
  const fresh = new Map(input.facts.map((fact) => [fact.id as string, fact]));
  const known = new Map(
    entities
      .filter((entity) => !entity.isNew)
      .map(({ id }) => {
        const staying = index.factsAbout(id).filter((fact) => !input.leaving.facts.has(fact));
        return [id, staying.slice(-FACTS_PER_SUMMARY)];
      }),
  );
  const stored = await store.get(scope, 'fact', [...new Set([...known.values()].flat())]);
  const facts = new Map<string, Fact>([...stored.map((fact): [string, Fact] => [fact.id, fact]), ...fresh]);
  const about = new Map<EntityId, Fact[]>(entities.map(({ id }) => [id, []]));
  for (const [id, ids] of known) for (const fact of ids) push(about, id, facts.get(fact as FactId));
  for (const { kind, from, to } of input.relationships)
    if (kind === 'ABOUT') push(about, to as EntityId, fresh.get(from));
  return about;
}

function push(about: Map<EntityId, Fact[]>, entity: EntityId, fact: Fact | undefined): void {
  if (fact !== undefined && fact.expiredAt === null) about.get(entity)?.push(fact);
}
