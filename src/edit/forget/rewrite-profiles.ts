import { summarizeEntity } from '../../ingest/describe/profile-summary.ts';
import { ENTITY_KINDS } from '../../ingest/extract/extractor.ts';
import type { IngestContext } from '../../ingest/ingest-context.ts';
import type { EntityId, ProfileId } from '../../model/ids.ts';
import type { Episode, Fact, Profile } from '../../model/nodes.ts';
import { Breather } from '../../util/breathe.ts';
import { hasEnded } from '../../util/validity.ts';
import { type RemainingEntity, remainingNames, Texts, wordsOfTurn } from './entities.ts';

/** A summary uses at most this many older facts, the newest first, as in `refreshProfiles`. */
const FACTS_PER_SUMMARY = 40;
/** Turns searched for names; an entity with more mentions is named in these. */
const TURNS_FOR_NAMES = 400;

export interface ProfilesToRewrite {
  /** The current profiles of entities that stay. */
  readonly current: readonly Profile[];
  readonly left: ReadonlyMap<string, RemainingEntity>;
  /** Texts of removed turns and facts. */
  readonly removedTexts: readonly string[];
  /** Other changes of facts, by fact id. */
  readonly changed: ReadonlyMap<string, Partial<Fact>>;
}

export interface RewrittenProfiles {
  readonly created: readonly Profile[];
  /** Names that no remaining text contains. */
  readonly dropped: readonly string[];
}

/**
 * Writes a new version of each profile from the remaining rows only; none if an entity has no live mention or fact and
 * no past fact.
 */
export async function rewriteProfiles(
  context: IngestContext,
  { current, left, removedTexts, changed }: ProfilesToRewrite,
): Promise<RewrittenProfiles> {
  const [created, dropped] = [[] as Profile[], [] as string[]];
  if (current.length === 0) return { created, dropped };
  const removed = new Texts(removedTexts);
  const now = context.clock();
  const breather = new Breather();
  for (const profile of current) {
    await breather.breathe();
    const of = left.get(profile.owner)!;
    const every = await factsOf(context, of.facts, changed);
    const facts = every.filter(({ expiredAt }) => expiredAt === null);
    const turns = await newest(context, of.mentionedIn);
    // The caller who gave a fact named its entities.
    const given = every.some(({ origin }) => origin === 'given') ? [profile.name] : [];
    const remaining = new Texts([
      ...turns.flatMap(wordsOfTurn),
      ...every.map(({ statement }) => statement),
      ...given,
    ]);
    const kind = ENTITY_KINDS.find((each) => profile.tags.includes(each)) ?? 'thing';
    const names = remainingNames(profile, { remaining, removed, fallback: kind });
    dropped.push(...names.dropped);
    const mentions = of.mentionedIn.filter((id) => context.index.episodes.isLive(id)).length;
    // An entity with only past facts keeps its name, for queries about the past.
    const isPast = mentions === 0 && facts.length === 0;
    if (isPast && of.facts.length === 0) continue;
    const holding = facts.filter(({ invalidAt }) => !hasEnded(invalidAt, context.clock()));
    const shown = (holding.length > 0 ? holding : facts).slice(0, FACTS_PER_SUMMARY);
    const { name, aliases } = names;
    const { summary, tags } = summarizeEntity({ name, kind, facts: shown, mentions });
    created.push({
      id: context.newId() as ProfileId,
      owner: profile.owner as EntityId,
      name,
      aliases,
      summary,
      tags,
      createdAt: now,
      expiredAt: isPast ? now : null,
    });
  }
  return { created, dropped };
}

/** Facts of any age, the newest first. */
async function factsOf(
  { store, scope }: IngestContext,
  ids: readonly string[],
  changed: ReadonlyMap<string, Partial<Fact>>,
): Promise<Fact[]> {
  const rows = ids.length === 0 ? [] : await store.get(scope, 'fact', ids);
  return rows
    .map((fact): Fact => ({ ...fact, ...changed.get(fact.id) }))
    .sort((a, b) => b.validAt - a.validAt);
}

async function newest({ store, scope, index }: IngestContext, turns: readonly string[]): Promise<Episode[]> {
  const age = (id: string) => index.episodes.ids.ordinalOf(id) ?? -1;
  const ids = turns.toSorted((a, b) => age(b) - age(a)).slice(0, TURNS_FOR_NAMES);
  return ids.length === 0 ? [] : store.get(scope, 'episode', ids);
}
