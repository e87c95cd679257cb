import { EffectiveCorrections } from '../../ingest/corrections/effective-corrections.ts';
import { summarizeEntity } from '../../ingest/describe/profile-summary.ts';
import { ENTITY_KINDS } from '../../ingest/extract/extractor.ts';
import type { IngestContext } from '../../ingest/ingest-context.ts';
import type { RowUpdate } from '../../model/graph-changes.ts';
import type { EntityId, FactId, Milliseconds, ProfileId } from '../../model/ids.ts';
import type { Fact, Profile } from '../../model/nodes.ts';
import { hasEnded } from '../../util/validity.ts';
import type { CorrectionDraft } from './draft.ts';

export interface EntityToDescribe {
  readonly id: EntityId;
  readonly name: string;
  readonly aliases: Iterable<string>;
  /** Tags of the current profile, including the entity's kind. */
  readonly tags: readonly string[];
  /** Facts about the entity that are live after the change. */
  readonly facts: Iterable<string>;
  /** Number of turns that mention the entity after the change. */
  readonly mentions: number;
}

/** A summary uses at most this many facts, the newest first. */
const FACTS_PER_SUMMARY = 40;

/** Builds a profile version from these facts and applies what users set by hand. */
export async function buildProfile(
  context: IngestContext,
  entity: EntityToDescribe,
  {
    at,
    facts = [],
    effective = EffectiveCorrections.of(context.index.corrections),
  }: { at: Milliseconds; facts?: readonly Fact[]; effective?: EffectiveCorrections },
): Promise<Profile> {
  const given = new Map(facts.map((fact) => [fact.id as string, fact]));
  const ids = [...entity.facts].slice(-2 * FACTS_PER_SUMMARY) as FactId[];
  const stored = await context.store.get(
    context.scope,
    'fact',
    ids.filter((id) => !given.has(id)),
  );
  const rows = [...stored, ...ids.flatMap((id) => given.get(id) ?? [])];
  const open = rows.filter(({ invalidAt }) => !hasEnded(invalidAt, at));
  const { summary, tags } = summarizeEntity({
    name: entity.name,
    kind: ENTITY_KINDS.find((kind) => entity.tags.includes(kind)) ?? 'thing',
    facts: (open.length > 0 ? open : rows).slice(-FACTS_PER_SUMMARY),
    mentions: entity.mentions,
  });
  return effective.withUserEdits(entity.id, {
    id: context.newId() as ProfileId,
    owner: entity.id,
    name: entity.name,
    aliases: [...entity.aliases],
    summary,
    tags,
    createdAt: at,
    expiredAt: null,
  });
}

/** Creates the new profile versions and expires the versions they replace. */
export async function replaceProfiles(
  { store, scope }: IngestContext,
  draft: CorrectionDraft,
  { created, expired }: { created: readonly Profile[]; expired: readonly RowUpdate[] },
): Promise<void> {
  for (const row of created) draft.create('profile', row);
  const gone = await store.get(
    scope,
    'profile',
    expired.map(({ id }) => id),
  );
  for (const row of gone) draft.expire('profile', row);
}
