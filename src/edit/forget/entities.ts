import type { IngestContext } from '../../ingest/ingest-context.ts';
import type { EntityId } from '../../model/ids.ts';
import type { Episode, Profile } from '../../model/nodes.ts';
import { analyze } from '../../search/analyzer.ts';
import { Breather } from '../../util/breathe.ts';
import { collect, groupBy } from '../../util/collections.ts';
import { entityNameKey, keySays } from '../../util/tidy.ts';
import { namesInCategories } from './categories.ts';
import type { DeletionSet } from './deletion-set.ts';

/** Texts as the words that stand in each of them. */
export class Texts {
  readonly #sets: readonly ReadonlySet<string>[];

  constructor(texts: Iterable<string>) {
    this.#sets = Array.from(texts, (text) => new Set(analyze(text)));
  }

  /** Whether one of the texts has all words of the name. */
  say(name: string): boolean {
    const words = analyze(name);
    return words.length > 0 && this.#sets.some((set) => words.every((word) => set.has(word)));
  }
}

/** Everything that a turn says, its speaker and the pictures shown with it included. */
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
  /** Names that only what goes has said. */
  readonly dropped: readonly string[];
}

/**
 * What an entity may still be called: names that what goes has said and nothing that stays does are dropped. A name that
 * neither has said was made up by whoever read them, of words such as "her sister", and stays.
 *
 * @param fallback What it is called when no name is left.
 */
export function namesLeft(
  { name, aliases }: Pick<Profile, 'name' | 'aliases'>,
  { staying, going, fallback }: { readonly staying: Texts; readonly going: Texts; readonly fallback: string },
): NamesLeft {
  const all = [...new Set([name, ...aliases])];
  const kept = all.filter((each) => staying.say(each) || !going.say(each));
  const dropped = all.filter((each) => !kept.includes(each));
  const [first, ...others] = kept.length > 0 ? kept : [partLeft(name, staying) ?? fallback];
  return { name: first!, aliases: others, dropped };
}

/** The part of a name that is still said: of "Ann Smith" perhaps "Ann". */
function partLeft(name: string, staying: Texts): string | null {
  const part = name.split(/\s+/).filter((word) => staying.say(word));
  return part.length === 0 ? null : part.join(' ');
}

/** What is left of an entity once a step of forgetting is done. */
export interface EntityLeft {
  /** Turns that stay and mention it, those that are to be read again among them. */
  readonly mentionedIn: readonly string[];
  /** Facts of any age. */
  readonly facts: readonly string[];
  readonly descriptions: number;
}

/** One of turns that are to be read again stays, so that it is the same one then. */
export function isNothing({ mentionedIn, facts, descriptions }: EntityLeft): boolean {
  return mentionedIn.length + facts.length + descriptions === 0;
}

export async function entitiesLeft(
  { store, scope }: Pick<IngestContext, 'store' | 'scope'>,
  entities: readonly string[],
  going: DeletionSet,
): Promise<ReadonlyMap<string, EntityLeft>> {
  if (entities.length === 0) return new Map();
  const mentions = await collect(store.relationships(scope, 'MENTIONS', { to: entities }));
  const about = await collect(store.relationships(scope, 'ABOUT', { to: entities }));
  const staying = mentions.filter(({ from }) => !going.allTurns.has(from));
  const mentionedIn = groupBy(staying, ({ to }) => to);
  const facts = groupBy(
    about.filter(({ from }) => !going.facts.has(from)),
    ({ to }) => to,
  );
  const gone = new Set(going.descriptions.map(({ id }) => id));
  const described = groupBy(
    going.allDescriptions.filter(({ id }) => !gone.has(id)),
    ({ entity }) => entity as string,
  );
  return new Map(
    entities.map((id) => {
      const turns = (mentionedIn.get(id) ?? []).map(({ from }) => from);
      const left: EntityLeft = {
        mentionedIn: turns,
        facts: [...new Set((facts.get(id) ?? []).map(({ from }) => from))],
        descriptions: described.get(id)?.length ?? 0,
      };
      return [id, left];
    }),
  );
}

/**
 * Entities that lost their mentions when an earlier forgetting sent turns back to be read again, and that none of those
 * turns names any more. Without an edge to a turn, nothing else would find them when the last such turn is forgotten.
 * One that a correction ties to a waiting turn stays, whatever it is called.
 */
export async function entitiesAdrift(
  { store, scope, index }: Pick<IngestContext, 'store' | 'scope' | 'index'>,
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
    bound.has(owner) || [name, ...aliases].some((each) => texts.say(each)) ? [] : [owner],
  );
}

interface NameSources {
  /** Turns that go, or that are no sources any more since the entity that they name goes. */
  readonly turns: ReadonlySet<string>;
  /** Facts that go. */
  readonly facts: ReadonlySet<string>;
}

/** A word of a name that may stand for the whole: "Quentin" of "Quentin Marlowe". */
const PROPER = /^\p{Lu}[\p{L}\p{M}'’-]{2,}$/u;

/**
 * Of names that go, and of the proper words in them, those that some category is called by and no turn or fact that
 * stays says: a common word such as "dog" names categories of what others tell as well.
 */
export async function unsaidNames(
  context: Pick<IngestContext, 'store' | 'scope' | 'index'>,
  names: readonly string[],
  going: NameSources,
): Promise<readonly string[]> {
  const all = [...new Set(names.flatMap((name) => [name, ...properWords(name)]))];
  const open = new Map(
    namesInCategories(context.index.hierarchy, all).map((name) => [name, entityNameKey(name)]),
  );
  if (open.size === 0) return [];
  const breather = new Breather();
  for await (const text of textsStaying(context, going)) {
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
  { store, scope }: Pick<IngestContext, 'store' | 'scope'>,
  { turns, facts }: NameSources,
): AsyncGenerator<string> {
  const columns = ['id', 'content', 'speaker', 'attachments'] as const;
  for await (const rows of store.scan(scope, 'episode', columns))
    for (const row of rows) if (!turns.has(row.id)) yield wordsOfTurn(row).join('\n');
  // What others say is read from turns.
  for await (const rows of store.scan(scope, 'fact', ['id', 'statement', 'origin']))
    for (const { id, statement, origin } of rows) if (origin === 'given' && !facts.has(id)) yield statement;
}
