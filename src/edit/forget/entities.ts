import { summarizeEntity } from '../../ingest/describe/profile-summary.ts';
import { ENTITY_KINDS } from '../../ingest/extract/extractor.ts';
import type { IndexedScope, IngestContext, StoredScope } from '../../ingest/ingest-context.ts';
import type { EntityId, ProfileId } from '../../model/ids.ts';
import type { Description, Episode, Fact, Profile } from '../../model/nodes.ts';
import { analyze } from '../../search/analyzer.ts';
import { edgesOf } from '../../store/graph-store.ts';
import { Breather } from '../../util/breathe.ts';
import { entityNameKey, keySays } from '../../util/tidy.ts';
import { hasEnded } from '../../util/validity.ts';
import { namesInCategories } from './categories.ts';
import type { DeletionSet } from './deletion.ts';

/** Texts as sets of words. */
export class Texts {
  readonly #sets: readonly ReadonlySet<string>[];

  constructor(texts: Iterable<string>) {
    this.#sets = Array.from(texts, (text) => new Set(analyze(text)));
  }

  /** Whether one of the texts contains all words of the name. */
  contain(name: string): boolean {
    const words = analyze(name);
    return words.length > 0 && this.#sets.some((set) => words.every((word) => set.has(word)));
  }
}

/** All text of a turn, including its speaker and its pictures. */
export function wordsOfTurn({
  content,
  speaker,
  attachments,
}: Pick<Episode, 'content' | 'speaker' | 'attachments'>): string[] {
  return [`${speaker} ${content}`, ...attachments.map(({ description }) => description)];
}

interface NamesLeft {
  readonly name: string;
  readonly aliases: readonly string[];
  /** Names that only removed texts contain. */
  readonly dropped: readonly string[];
}

/**
 * The names that an entity keeps. A name that occurs in removed texts and in no remaining one is dropped. A name that
 * occurs in neither was composed by the extractor from words such as "her sister", and stays.
 *
 * @param fallback The name if all names are dropped.
 */
export function remainingNames(
  { name, aliases }: Pick<Profile, 'name' | 'aliases'>,
  {
    remaining,
    removed,
    fallback,
  }: { readonly remaining: Texts; readonly removed: Texts; readonly fallback: string },
): NamesLeft {
  const all = [...new Set([name, ...aliases])];
  const kept = all.filter((each) => remaining.contain(each) || !removed.contain(each));
  const dropped = all.filter((each) => !kept.includes(each));
  const [first, ...others] = kept.length > 0 ? kept : [remainingPart(name, remaining) ?? fallback];
  return { name: first!, aliases: others, dropped };
}

/** The part of a name that remaining texts still contain: of "Ann Smith" perhaps "Ann". */
function remainingPart(name: string, remaining: Texts): string | null {
  const part = name.split(/\s+/).filter((word) => remaining.contain(word));
  return part.length === 0 ? null : part.join(' ');
}

/** What remains of an entity after a step of forgetting. */
export interface RemainingEntity {
  /** Remaining turns that mention it, including those to be read again. */
  readonly mentionedIn: readonly string[];
  /** Facts of any age. */
  readonly facts: readonly string[];
  readonly descriptions: number;
}

/** Whether nothing remains. An entity whose turns are to be read again stays, so that it keeps its id. */
export function isNothing({ mentionedIn, facts, descriptions }: RemainingEntity): boolean {
  return mentionedIn.length + facts.length + descriptions === 0;
}

/** @param descriptions Those that remain. */
export async function remainingEntities(
  context: StoredScope,
  entities: readonly string[],
  {
    allTurns,
    facts,
    descriptions,
  }: Pick<DeletionSet, 'allTurns' | 'facts'> & {
    readonly descriptions: readonly Pick<Description, 'entity'>[];
  },
): Promise<ReadonlyMap<string, RemainingEntity>> {
  const left = new Map(
    entities.map((id) => [id, { mentionedIn: [] as string[], facts: [] as string[], descriptions: 0 }]),
  );
  for (const { from, to } of await edgesOf(context, 'MENTIONS', { to: entities }))
    if (!allTurns.has(from)) left.get(to)?.mentionedIn.push(from);
  for (const { from, to } of await edgesOf(context, 'ABOUT', { to: entities }))
    if (!facts.has(from)) left.get(to)?.facts.push(from);
  for (const each of left.values()) each.facts = [...new Set(each.facts)];
  for (const { entity } of descriptions) {
    const each = left.get(entity);
    if (each !== undefined) each.descriptions++;
  }
  return left;
}

/**
 * Entities whose mentions an earlier forgetting removed because their turns were to be read again, and that none of
 * those turns names any more. They have no edge to a turn, so no other search finds them once the last such turn is
 * forgotten. An entity that a correction ties to a waiting turn stays, independent of its name.
 */
export async function orphanedEntities(
  { store, scope, index }: IndexedScope,
  { turns, allTurns }: Pick<DeletionSet, 'turns' | 'allTurns'>,
): Promise<readonly string[]> {
  if (turns.size === 0) return [];
  const adrift = index.entities
    .current()
    .filter(({ owner }) => index.mentionCount(owner) + index.factsAbout(owner as EntityId).length === 0);
  if (adrift.length === 0) return [];
  const waiting = new Map<string, readonly string[]>();
  const columns = ['id', 'status', 'content', 'speaker', 'attachments'] as const;
  for await (const rows of store.scan(scope, 'episode', columns))
    for (const row of rows)
      if (row.status !== 'extracted' && !allTurns.has(row.id)) waiting.set(row.id, wordsOfTurn(row));
  const texts = new Texts([...waiting.values()].flat());
  const bound = new Set(
    index.corrections.all.flatMap(({ targets }) => (targets.some((id) => waiting.has(id)) ? targets : [])),
  );
  return adrift.flatMap(({ owner, name, aliases }) =>
    bound.has(owner) || [name, ...aliases].some((each) => texts.contain(each)) ? [] : [owner],
  );
}

interface NameSources {
  /** Turns that are removed, or that do not count because the entity that they name is removed. */
  readonly turns: ReadonlySet<string>;
  /** Removed facts. */
  readonly facts: ReadonlySet<string>;
}

/** A word of a name that may stand for the whole name: "Quentin" of "Quentin Marlowe". */
const PROPER = /^\p{Lu}[\p{L}\p{M}'’-]{2,}$/u;

/**
 * Of the removed names and their proper words, those that some category contains and that no remaining turn or fact
 * does. A common word such as "dog" also names categories of unrelated entities.
 */
export async function obsoleteNames(
  context: IndexedScope,
  names: readonly string[],
  removed: NameSources,
): Promise<readonly string[]> {
  const all = [...new Set(names.flatMap((name) => [name, ...properWords(name)]))];
  const open = new Map(
    namesInCategories(context.index.hierarchy, all).map((name) => [name, entityNameKey(name)]),
  );
  if (open.size === 0) return [];
  const breather = new Breather();
  for await (const text of textsStaying(context, removed)) {
    await breather.breathe();
    const key = entityNameKey(text);
    for (const [name, words] of open) if (keySays(key, words)) open.delete(name);
    if (open.size === 0) break;
  }
  return [...open.keys()];
}

function properWords(name: string): string[] {
  const words = name.split(/\s+/);
  return words.length === 1 ? [] : words.filter((word) => PROPER.test(word));
}

async function* textsStaying(
  { store, scope }: StoredScope,
  { turns, facts }: NameSources,
): AsyncGenerator<string> {
  const columns = ['id', 'content', 'speaker', 'attachments'] as const;
  for await (const rows of store.scan(scope, 'episode', columns))
    for (const row of rows) if (!turns.has(row.id)) yield wordsOfTurn(row).join('\n');
  // Statements of facts read from turns are covered by the turns.
  for await (const rows of store.scan(scope, 'fact', ['id', 'statement', 'origin']))
    for (const { id, statement, origin } of rows) if (origin === 'given' && !facts.has(id)) yield statement;
}

/** A summary uses at most this many older facts, the newest first, as in `refreshProfiles`. */
const FACTS_PER_SUMMARY = 40;
/** Turns searched for names; an entity with more mentions is named in these. */
const TURNS_FOR_NAMES = 400;

interface ProfilesToRewrite {
  /** The current profiles of entities that stay. */
  readonly current: readonly Profile[];
  readonly left: ReadonlyMap<string, RemainingEntity>;
  /** Texts of removed turns and facts. */
  readonly removedTexts: readonly string[];
  /** Other changes of facts, by fact id. */
  readonly changed: ReadonlyMap<string, Partial<Fact>>;
}

interface RewrittenProfiles {
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
