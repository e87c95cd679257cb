import { InvalidInputError } from '../../errors/index.ts';
import type { ProfilePatch } from '../../ingest/corrections/correction-detail.ts';
import { EffectiveCorrections, withKind } from '../../ingest/corrections/effective-corrections.ts';
import type { IngestContext } from '../../ingest/ingest-context.ts';
import type { DescriptionId, EntityId, EpisodeId, FactId, ProfileId } from '../../model/ids.ts';
import type { Description, Profile } from '../../model/nodes.ts';
import type { Relationship } from '../../model/relationships.ts';
import { edgesOf } from '../../store/graph-store.ts';
import { entityNameKey } from '../../util/tidy.ts';
import { buildProfile } from './build-profile.ts';
import type { CorrectionDraft } from './draft.ts';

const MOST_TAGS = 5;

/** Creates a new profile version. The former name becomes an alias unless the patch sets the aliases. */
export async function editProfile(
  context: IngestContext,
  draft: CorrectionDraft,
  { entity, patch }: { entity: EntityId; patch: ProfilePatch },
): Promise<void> {
  const before = await profileRow(context, entity);
  const name = patch.name ?? before.name;
  const aliases = new Map(
    [...(patch.aliases ?? [...before.aliases, before.name])].map((each) => [entityNameKey(each), each]),
  );
  aliases.delete(entityNameKey(name));
  const tags = patch.tags === undefined ? before.tags : withKind(patch.tags, before.tags);
  if (tags.length > MOST_TAGS)
    throw new InvalidInputError(`A profile has at most ${MOST_TAGS} tags, one of them the kind "${tags[0]}"`);
  draft.create('profile', {
    ...before,
    id: context.newId() as ProfileId,
    name,
    aliases: [...aliases.values()],
    summary: patch.summary ?? before.summary,
    tags,
    createdAt: draft.event.at,
  });
  draft.expire('profile', before);
}

/**
 * Moves mentions, facts and categories of the merged entity to the kept one and adds its names as aliases. The merged
 * entity keeps its row and its old profiles. Its descriptions are copied to the kept entity, because the owner of a
 * description cannot change.
 */
export async function mergeEntities(
  context: IngestContext,
  draft: CorrectionDraft,
  { keep, merged }: { keep: EntityId; merged: EntityId },
): Promise<void> {
  const { index } = context;
  const [kept, gone] = [await profileRow(context, keep), await profileRow(context, merged)];
  for (const kind of ['MENTIONS', 'ABOUT', 'CATEGORIZES'] as const)
    await moveEdges(context, draft, { kind, keep, merged });
  await moveDoubts(context, draft, { keep, merged });
  // A segment describes an entity once: skip segments that already describe the kept entity.
  const own = new Set((await descriptionsOf(context, keep)).map(({ row }) => row.segment));
  for (const { row, edges } of await descriptionsOf(context, merged))
    if (!own.has(row.segment)) copyDescription(context, draft, { row, edges, entity: keep });
  const names = new Map(
    [...kept.aliases, gone.name, ...gone.aliases].map((name) => [entityNameKey(name), name]),
  );
  names.delete(entityNameKey(kept.name));
  const mentions = new Set([...index.mentionsOf(keep), ...index.mentionsOf(merged)]);
  const profile = await buildProfile(
    context,
    {
      id: keep,
      name: kept.name,
      aliases: names.values(),
      tags: kindFirst(kept.tags, gone.tags),
      facts: new Set([...index.factsAbout(keep), ...index.factsAbout(merged)]),
      mentions: mentions.size,
    },
    { at: draft.event.at },
  );
  draft.create('profile', profile);
  draft.expire('profile', kept);
  draft.expire('profile', gone);
}

export interface Split {
  readonly entity: EntityId;
  readonly made: EntityId;
  readonly name: string;
  readonly episodes: readonly EpisodeId[];
  readonly facts: readonly FactId[];
}

/** Creates a second entity and moves some mentions and facts of the first one to it. @throws InvalidInputError */
export async function splitEntity(
  context: IngestContext,
  draft: CorrectionDraft,
  split: Split,
): Promise<void> {
  const { index } = context;
  const { entity, made, name } = split;
  const before = await profileRow(context, entity);
  const moved = movedBy(index, split);
  const leftTurns = index.mentionsOf(entity).filter((turn) => !moved.from.has(turn));
  const leftFacts = index.factsAbout(entity).filter((fact) => !moved.facts.has(fact));
  if (leftTurns.length + leftFacts.length === 0)
    throw new InvalidInputError(
      'The split would leave nothing for the original entity; edit its name instead',
    );
  draft.create('entity', { id: made, createdAt: draft.event.at });
  const mention = (to: string, turn: string): Relationship => ({
    kind: 'MENTIONS',
    fromKind: 'episode',
    from: turn,
    toKind: 'entity',
    to,
  });
  for (const turn of moved.to) draft.link(mention(made, turn));
  for (const turn of moved.from) draft.unlink(mention(entity, turn));
  for (const edge of await edgesOf(context, 'ABOUT', { from: [...moved.facts], to: [entity] })) {
    draft.unlink(edge);
    draft.link({ ...edge, to: made });
  }
  for (const { row, edges } of await descriptionsOf(context, entity))
    if (edges.length > 0 && edges.every(({ to }) => moved.from.has(to)))
      copyDescription(context, draft, { row, edges, entity: made });
  const { at } = draft.event;
  const [tags, mentions] = [before.tags, moved.to.size];
  draft.create(
    'profile',
    await buildProfile(context, { id: made, name, aliases: [], tags, facts: moved.facts, mentions }, { at }),
  );
  const rest = {
    id: entity,
    name: before.name,
    aliases: before.aliases,
    tags,
    facts: leftFacts,
    mentions: leftTurns.length,
  };
  draft.create('profile', await buildProfile(context, rest, { at }));
  draft.expire('profile', before);
}

/** Removes the POSSIBLY_SAME edges between two entities. */
export async function keepApart(
  context: IngestContext,
  draft: CorrectionDraft,
  { entities }: { entities: readonly [EntityId, EntityId] },
): Promise<void> {
  for (const edge of await edgesOf(context, 'POSSIBLY_SAME', { from: entities, to: entities }))
    draft.unlink(edge);
}

/**
 * Returns mentions to remove (`from`), mentions to add (`to`) and facts to move. A fact named without its turns moves
 * the mentions in turns that support no other fact about the entity.
 */
function movedBy(index: IngestContext['index'], { entity, episodes, facts: given }: Split) {
  const mentioned = new Set<string>(index.mentionsOf(entity));
  const turns = new Set<string>(episodes.filter((turn) => mentioned.has(turn)));
  const about = index.factsAbout(entity);
  const facts = new Set<string>([
    ...given,
    ...about.filter((fact) => index.evidenceOf(fact).every((turn) => turns.has(turn))),
  ]);
  const [from, to] = [new Set(turns), new Set(turns)];
  for (const fact of given)
    for (const turn of index.evidenceOf(fact)) {
      if (!mentioned.has(turn)) continue;
      to.add(turn);
      const supportsOther = about.some((each) => !facts.has(each) && index.evidenceOf(each).includes(turn));
      if (!supportsOther) from.add(turn);
    }
  return { from, to, facts };
}

async function moveEdges(
  context: IngestContext,
  draft: CorrectionDraft,
  { kind, keep, merged }: { kind: 'MENTIONS' | 'ABOUT' | 'CATEGORIZES'; keep: EntityId; merged: EntityId },
): Promise<void> {
  const there = new Set((await edgesOf(context, kind, { to: [keep] })).map(({ from }) => from));
  for (const edge of await edgesOf(context, kind, { to: [merged] })) {
    draft.unlink(edge);
    // An entity that is subject and object of one fact gets one edge, as in facts read from turns.
    if (!there.has(edge.from)) draft.link({ ...edge, to: keep });
    there.add(edge.from);
  }
}

async function moveDoubts(
  context: IngestContext,
  draft: CorrectionDraft,
  { keep, merged }: { keep: EntityId; merged: EntityId },
): Promise<void> {
  const effective = EffectiveCorrections.of(context.index.corrections);
  const doubts = async (id: EntityId) => [
    ...(await edgesOf(context, 'POSSIBLY_SAME', { from: [id] })),
    ...(await edgesOf(context, 'POSSIBLY_SAME', { to: [id] })),
  ];
  const other = ({ from, to }: Relationship, id: string) => (from === id ? to : from);
  const settled = new Set<string>([keep, ...(await doubts(keep)).map((edge) => other(edge, keep))]);
  for (const edge of await doubts(merged)) {
    draft.unlink(edge);
    const third = other(edge, merged);
    if (settled.has(third) || effective.isKeptApart(keep, third)) continue;
    settled.add(third);
    draft.link(edge.from === merged ? { ...edge, from: keep } : { ...edge, to: keep });
  }
}

interface CitedDescription {
  readonly row: Description;
  readonly edges: readonly Relationship[];
}

/** Descriptions in live and expired segments. They have no edge to their entity, so this scans all of them. */
async function descriptionsOf(context: IngestContext, entity: EntityId): Promise<CitedDescription[]> {
  const { store, scope } = context;
  const ids: string[] = [];
  for await (const rows of store.scan(scope, 'description', ['id', 'entity']))
    for (const row of rows) if (row.entity === entity) ids.push(row.id);
  const rows = await store.get(scope, 'description', ids.sort());
  const edges = await edgesOf(context, 'EVIDENCED_BY', { from: ids });
  return rows.map((row) => ({ row, edges: edges.filter(({ from }) => from === row.id) }));
}

function copyDescription(
  { newId }: IngestContext,
  draft: CorrectionDraft,
  { row, edges, entity }: CitedDescription & { entity: EntityId },
): void {
  const id = newId() as DescriptionId;
  draft.create('description', { ...row, id, entity });
  for (const edge of edges) draft.link({ ...edge, from: id });
}

async function profileRow({ index, store, scope }: IngestContext, entity: EntityId): Promise<Profile> {
  const current = index.entities.profileOf(entity);
  const [row] = current === undefined ? [] : await store.get(scope, 'profile', [current.id]);
  if (row === undefined) throw new InvalidInputError('Memory no longer knows anything about the entity');
  return row;
}

/** Puts the more specific kind first: "thing" is the default for an unknown kind. */
function kindFirst(tags: readonly string[], others: readonly string[]): readonly string[] {
  return withKind(
    tags.filter((tag) => tag !== 'thing'),
    [...others.filter((tag) => tag !== 'thing'), ...tags],
  );
}
