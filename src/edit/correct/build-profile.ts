import { CorrectionBook } from '../../ingest/corrections/correction-book.ts';
import { summarizeEntity } from '../../ingest/describe/profile-summary.ts';
import { ENTITY_KINDS } from '../../ingest/extract/extractor.ts';
import type { IngestContext } from '../../ingest/ingest-context.ts';
import type { RowUpdate } from '../../model/graph-changes.ts';
import type { EntityId, FactId, Milliseconds, ProfileId } from '../../model/ids.ts';
import type { Fact, Profile } from '../../model/nodes.ts';
import type { CorrectionDraft } from './draft.ts';

export interface EntityToTell {
  readonly id: EntityId;
  readonly name: string;
  readonly aliases: Iterable<string>;
  /** Of the profile until now; the kind is one of them. */
  readonly tags: readonly string[];
  /** Live facts about it after the change. */
  readonly facts: Iterable<string>;
  /** Turns that mention it then. */
  readonly mentions: number;
}

/** Facts that a summary draws on, the newest first. */
const FACTS_PER_SUMMARY = 40;

/** A profile version that tells of these facts, with what was set by hand. */
export async function buildProfile(
  context: IngestContext,
  told: EntityToTell,
  {
    at,
    facts = [],
    book = CorrectionBook.of(context.index.corrections),
  }: { at: Milliseconds; facts?: readonly Fact[]; book?: CorrectionBook },
): Promise<Profile> {
  const given = new Map(facts.map((fact) => [fact.id as string, fact]));
  const ids = [...told.facts].slice(-2 * FACTS_PER_SUMMARY) as FactId[];
  const stored = await context.store.get(
    context.scope,
    'fact',
    ids.filter((id) => !given.has(id)),
  );
  const rows = [...stored, ...ids.flatMap((id) => given.get(id) ?? [])];
  const open = rows.filter(({ invalidAt }) => invalidAt === null || invalidAt > at);
  const { summary, tags } = summarizeEntity({
    name: told.name,
    kind: ENTITY_KINDS.find((kind) => told.tags.includes(kind)) ?? 'thing',
    facts: (open.length > 0 ? open : rows).slice(-FACTS_PER_SUMMARY),
    mentions: told.mentions,
  });
  return book.withUserEdits(told.id, {
    id: context.newId() as ProfileId,
    owner: told.id,
    name: told.name,
    aliases: [...told.aliases],
    summary,
    tags,
    createdAt: at,
    expiredAt: null,
  });
}

/** Puts new versions in the place of those until now. */
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
