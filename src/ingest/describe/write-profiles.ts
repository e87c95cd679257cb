import type { DescriptionId, EntityId, SegmentId } from '../../model/ids.ts';
import type { Description, Profile } from '../../model/nodes.ts';
import type { Relationship } from '../../model/relationships.ts';
import { inBatches } from '../../util/collections.ts';
import { isoDay } from '../../util/iso-day.ts';
import { shorten } from '../../util/tidy.ts';
import type { ConsolidationContext } from '../consolidation-context.ts';
import { EffectiveCorrections } from '../corrections/effective-corrections.ts';
import { ENTITY_KINDS } from '../extract/extractor.ts';
import type { LocalFallback } from '../local-fallback.ts';
import type { EntityOf, SegmentedUnit } from '../resolve/entity-resolution.ts';
import { descriptionEvidence } from '../write/fact-edges.ts';
import { MAX_SUMMARY_LENGTH, MAX_TAGS, MAX_WRITTEN_SUMMARY } from './defaults.ts';
import type { EntityNote } from './describe-entities-prompt.ts';
import type { WrittenProfile } from './llm-describer.ts';
import { isWithoutStatements } from './profile-summary.ts';

/** The descriptions that the segments of a batch give of an entity, the oldest first, and their tags. */
export interface NewDescriptions {
  readonly notes: readonly EntityNote[];
  readonly tags: readonly string[];
}

interface ProfileDraft {
  readonly profile: Profile;
  /** The summary so far; empty for a new entity. */
  readonly summary: string;
  readonly notes: readonly EntityNote[];
  readonly tags: readonly string[];
}

/**
 * Writes profiles from model descriptions (Mnemis §2.1). New descriptions are added to the summary so far, each with
 * its day; a model rewrites the summary when they no longer fit. Where the ingest profile has no model describe,
 * they are joined without days, the newest first.
 */
export async function writeProfiles(
  context: ConsolidationContext,
  created: readonly Profile[],
  {
    descriptions,
    outdated,
    fallback,
  }: {
    descriptions: ReadonlyMap<EntityId, NewDescriptions>;
    /**
     * Entities whose current summary may state outdated facts: it is replaced by a summary of their remaining facts.
     */
    outdated: ReadonlySet<EntityId>;
    fallback: LocalFallback;
  },
): Promise<Profile[]> {
  if (context.profile.tier === 'local') return [...created];
  const isOutdated = ({ owner }: Profile) => outdated.has(owner as EntityId);
  const summaries = new Map([
    ...(await summariesSoFar(
      context,
      created.filter((profile) => !isOutdated(profile)),
    )),
    ...created.filter(isOutdated).map(({ owner, summary }) => [owner, summary] as const),
  ]);
  const described = context.profile.describes ? describedBefore(context) : () => false;
  const drafts = created.flatMap((profile): ProfileDraft[] => {
    const fresh = descriptions.get(profile.owner as EntityId);
    const summary = summaries.get(profile.owner) ?? '';
    // Rules would replace what was described by a sample of facts.
    const isKept = summary !== '' && described(profile.owner) && !isOutdated(profile);
    if (fresh === undefined) return isKept ? [{ profile, summary, notes: [], tags: profile.tags }] : [];
    return [{ profile, summary, ...fresh }];
  });
  const isTooLong = (draft: ProfileDraft) =>
    draft.notes.length > 0 && joinedInTime(draft).length > MAX_WRITTEN_SUMMARY;
  const written = await bringTogether(context, drafts.filter(isTooLong), fallback);
  const join = (draft: ProfileDraft) =>
    context.profile.describes && !isTooLong(draft) ? joinedInTime(draft) : joinedNewestFirst(draft);
  const profiles = new Map(
    drafts.map((each) => [
      each.profile,
      finished(each, written.get(each)?.summary ?? join(each), written.get(each)?.tags ?? each.tags),
    ]),
  );
  const book = EffectiveCorrections.of(context.index.corrections);
  return created.map((profile) => book.withUserEdits(profile.owner, profiles.get(profile) ?? profile));
}

async function summariesSoFar(
  { index, store, scope }: ConsolidationContext,
  created: readonly Profile[],
): Promise<ReadonlyMap<string, string>> {
  const current = created.flatMap(({ owner }) => index.entities.profileOf(owner)?.id ?? []);
  const rows = await store.get(scope, 'profile', current);
  return new Map(
    rows.filter((row) => !isWithoutStatements(row)).map(({ owner, summary }) => [owner, summary]),
  );
}

function describedBefore({ index }: ConsolidationContext): (owner: string) => boolean {
  const described = index.descriptions.described();
  return (owner) => described.has(index.entities.ids.ordinalOf(owner) ?? -1);
}

async function bringTogether(
  { stages: { describer }, calls, profile }: ConsolidationContext,
  drafts: readonly ProfileDraft[],
  fallback: LocalFallback,
): Promise<ReadonlyMap<ProfileDraft, WrittenProfile | null>> {
  const written = new Map<ProfileDraft, WrittenProfile | null>();
  if (describer === null || drafts.length === 0) return written;
  for (const batch of inBatches(drafts, profile.together === null ? drafts.length : 1)) {
    const entities = batch.map(({ profile: { name }, summary, notes }) => ({ name, summary, notes }));
    const profiles = await fallback.run(
      async () => (await describer.describe(entities, calls)).profiles,
      async () => batch.map(() => null),
    );
    for (const [at, each] of batch.entries()) written.set(each, profiles[at]!);
  }
  return written;
}

/** Keeps the kind as the first tag. */
function finished({ profile }: ProfileDraft, summary: string, tags: readonly string[]): Profile {
  const kind = profile.tags.filter((tag) => (ENTITY_KINDS as readonly string[]).includes(tag)).slice(0, 1);
  return { ...profile, summary, tags: [...new Set([...kind, ...tags])].slice(0, MAX_TAGS) };
}

/** "A dog of Ann. (said 2024-06-10) Luna limps. (said 2024-07-01)" */
function joinedInTime({ summary, notes }: ProfileDraft): string {
  const dated = notes.map(({ text, at }) => `${text} (said ${isoDay(at)})`);
  return [summary, ...dated].filter((part) => part !== '').join(' ');
}

/** The newest descriptions are most likely still true. */
function joinedNewestFirst({ summary, notes }: ProfileDraft): string {
  const texts = [...(summary === '' ? [] : [summary]), ...notes.map(({ text }) => text)];
  return shorten(texts.toReversed().join(' '), MAX_SUMMARY_LENGTH);
}

const LONGEST_DESCRIPTION = 1_000;

/**
 * The description that each segment gives of each entity, with the turns that support it (MemORAI §3.2). Two names of
 * a segment that resolve to one entity give one description.
 */
export function describeEntities(
  units: readonly SegmentedUnit[],
  { entityOf, now, newId }: { entityOf: EntityOf; now: number; newId: () => string },
): { rows: Description[]; relationships: Relationship[] } {
  const rows: Description[] = [];
  const relationships: Relationship[] = [];
  for (const [at, { unit, segment }] of units.entries()) {
    for (const [entity, said] of saidOf(unit.reading.extraction.entities, (name) => entityOf(at, name))) {
      const id = newId() as DescriptionId;
      const text = [...said.texts].join(' ').slice(0, LONGEST_DESCRIPTION).toWellFormed();
      rows.push({ id, entity, segment: segment.id as SegmentId, text, createdAt: now });
      for (const turn of said.turns) relationships.push(descriptionEvidence(id, unit.episodes[turn]!.id));
    }
  }
  return { rows, relationships };
}

interface Said {
  readonly texts: Set<string>;
  readonly turns: Set<number>;
}

function saidOf(
  entities: SegmentedUnit['unit']['reading']['extraction']['entities'],
  idOf: (name: string) => EntityId | undefined,
): ReadonlyMap<EntityId, Said> {
  const said = new Map<EntityId, Said>();
  for (const { name, description, turns } of entities) {
    const id = idOf(name);
    if (id === undefined || description === '' || turns.length === 0) continue;
    const entry = said.get(id) ?? { texts: new Set(), turns: new Set() };
    entry.texts.add(description);
    for (const turn of turns) entry.turns.add(turn);
    said.set(id, entry);
  }
  return said;
}
