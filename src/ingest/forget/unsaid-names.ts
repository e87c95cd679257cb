import { Breather } from '../../util/breathe.ts';
import { entityNameKey, keySays } from '../../util/tidy.ts';
import type { IngestContext } from '../ingest-context.ts';
import { namesInCategories } from './categories-saying.ts';
import { wordsOfTurn } from './names-left.ts';

export interface NameSources {
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
