import type { SearchContext } from '../search-context.ts';

type Rows = Pick<SearchContext, 'scope' | 'store' | 'index'>;

/** What a reranker reads of each turn: who said what, and what its pictures show. Empty for one that went. */
export async function textsOfTurns(
  { scope, store, index }: Rows,
  turns: readonly number[],
): Promise<string[]> {
  const ids = turns.map((turn) => index.episodes.ids.idOf(turn));
  const rows = await store.get(scope, 'episode', ids);
  const texts = new Map<string, string>(
    rows.map(({ id, speaker, content, attachments }) => [
      id,
      [`${speaker}: ${content}`, ...attachments.map(({ description }) => description)].join('\n'),
    ]),
  );
  return ids.map((id) => texts.get(id) ?? '');
}

/** What a reranker reads of each topic: what was noted of it. Empty for one that went. */
export async function textsOfTopics(
  { scope, store, index }: Rows,
  topics: readonly number[],
): Promise<string[]> {
  const ids = topics.map((topic) => index.segments.ids.idOf(topic));
  const rows = await store.get(scope, 'segment', ids);
  const texts = new Map<string, string>(
    rows.map(({ id, keywords, summary }) => [id, `${keywords.join(', ')}\n${summary}`]),
  );
  return ids.map((id) => texts.get(id) ?? '');
}

const WORDS_OF_NAME = 3;

/** What each topic may be called: its most important keywords. A topic without any is left out. */
export async function namesOfTopics(
  { scope, store, index }: Rows,
  topics: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const { ids } = index.segments;
  const rows = await store.get(
    scope,
    'segment',
    topics.map((topic) => ids.idOf(topic)),
  );
  return new Map(
    rows
      .filter(({ keywords }) => keywords.length > 0)
      .map(({ id, keywords }) => [ids.ordinalOf(id)!, keywords.slice(0, WORDS_OF_NAME).join(', ')]),
  );
}
