import type { IndexedScope, StoredScope } from '../../ingest/ingest-context.ts';
import type { EntityId } from '../../model/ids.ts';
import type { Episode, Profile } from '../../model/nodes.ts';
import { analyze } from '../../search/analyzer.ts';
import { Breather } from '../../util/breathe.ts';
import { collect, groupBy } from '../../util/collections.ts';
import { entityNameKey, keySays } from '../../util/tidy.ts';
import { namesInCategories } from './categories.ts';
import type { DeletionSet } from './deletion-set.ts';

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

export async function remainingEntities(
  { store, scope }: StoredScope,
  entities: readonly string[],
  deletion: DeletionSet,
): Promise<ReadonlyMap<string, RemainingEntity>> {
  if (entities.length === 0) return new Map();
  const mentions = await collect(store.relationships(scope, 'MENTIONS', { to: entities }));
  const about = await collect(store.relationships(scope, 'ABOUT', { to: entities }));
  const remaining = mentions.filter(({ from }) => !deletion.allTurns.has(from));
  const mentionedIn = groupBy(remaining, ({ to }) => to);
  const facts = groupBy(
    about.filter(({ from }) => !deletion.facts.has(from)),
    ({ to }) => to,
  );
  const removed = new Set(deletion.descriptions.map(({ id }) => id));
  const described = groupBy(
    deletion.allDescriptions.filter(({ id }) => !removed.has(id)),
    ({ entity }) => entity as string,
  );
  return new Map(
    entities.map((id) => {
      const turns = (mentionedIn.get(id) ?? []).map(({ from }) => from);
      const left: RemainingEntity = {
        mentionedIn: turns,
        facts: [...new Set((facts.get(id) ?? []).map(({ from }) => from))],
        descriptions: described.get(id)?.length ?? 0,
      };
      return [id, left];
    }),
  );
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
