import { z } from 'zod';
import type { MemoryContext } from '../../../src/answer/memory-context.ts';
import type { RetrievedItem, RouteTrace, SearchResult, Vote } from '../../../src/model/retrieved-item.ts';
import { parseJson } from '../../../src/util/parse-json.ts';
import type { Why, WhyItem } from '../../contract.ts';
import type { AppContext } from '../app-context.ts';
import { usageOfAnswer } from '../settings/usage-items.ts';
import type { StoredMessage } from '../store/message-table.ts';
import { readPreferences } from '../store/read-preferences.ts';

/** What is kept of an item: no text, so that a forgotten one is gone from here too. */
const itemSchema = z.object({
  kind: z.enum(['episode', 'fact', 'entity']),
  id: z.string(),
  rank: z.number(),
  score: z.number(),
  votes: z.custom<readonly Vote[]>(Array.isArray),
  sources: z.array(z.object({ episode: z.string(), session: z.string(), index: z.number() })),
});

const whySchema = z.object({
  recipe: z.string(),
  milliseconds: z.number(),
  routes: z.custom<readonly RouteTrace[]>(Array.isArray),
  items: z.array(itemSchema),
  tokens: z.number(),
  leftOut: z.number(),
});
export type StoredWhy = z.output<typeof whySchema>;

/** What is stored of how the evidence for an answer was found. */
export function storedWhy(found: SearchResult, { sources, tokens, leftOut }: MemoryContext): StoredWhy {
  return {
    recipe: found.recipe,
    milliseconds: found.milliseconds,
    routes: found.routes,
    tokens,
    leftOut,
    items: sources.map(({ item }) => ({
      kind: item.kind,
      id: item.id,
      rank: item.rank,
      score: item.score,
      votes: item.why,
      sources: sourcesOf(item),
    })),
  };
}

export function sourcesOf({
  sources,
}: Pick<RetrievedItem, 'sources'>): StoredWhy['items'][number]['sources'] {
  return sources.map(({ episode, session, index }) => ({ episode, session, index }));
}

const NOTHING: StoredWhy = { recipe: '', milliseconds: 0, routes: [], items: [], tokens: 0, leftOut: 0 };

/** Why an answer says what it says, with the words that memory has now. */
export async function whyOf(
  { store, engine }: Pick<AppContext, 'store' | 'engine'>,
  answer: StoredMessage,
  limit: number,
): Promise<Why> {
  const json = parseJson(store.messages.whyOf(answer.id) ?? '');
  const read = whySchema.safeParse(json.ok ? json.value : null);
  const why = read.success ? read.data : NOTHING;
  const { scope } = store.conversations.get(answer.conversation);
  const question = answer.parent === null ? undefined : store.messages.find(answer.parent);
  const cited = new Map(answer.citations.map(({ id, number }) => [id, number]));
  const shown = [...why.items, ...citedBeside(why.items, answer.citations)].filter(
    ({ id }, at) => at < limit || cited.has(id),
  );
  const texts = await textsOf(engine.scope(scope), shown);
  return {
    ...why,
    scope,
    used: usageOfAnswer(store, answer.id, readPreferences(store).prices),
    question: question?.text ?? '',
    items: shown.map((item) => ({
      ...item,
      ...(texts.get(item.id) ?? { text: null, speaker: null, at: null }),
      cited: cited.get(item.id) ?? null,
    })),
  };
}

/** What the answer cites and no search returned, such as a fact of a profile. */
function citedBeside(items: StoredWhy['items'], citations: StoredMessage['citations']): StoredWhy['items'] {
  const known = new Set(items.map(({ id }) => id));
  return citations
    .filter(({ id }) => !known.has(id))
    .map(({ kind, id, sources }, at) => ({
      kind,
      id,
      sources,
      rank: items.length + at + 1,
      score: 0,
      votes: [],
    }));
}

type Words = Pick<WhyItem, 'text' | 'speaker' | 'at'>;

async function textsOf(
  memory: ReturnType<AppContext['engine']['scope']>,
  items: StoredWhy['items'],
): Promise<ReadonlyMap<string, Words>> {
  const idsOf = (kind: string) => items.flatMap((item) => (item.kind === kind ? [item.id] : []));
  const texts = new Map<string, Words>();
  for (const { id, content, attachments, speaker, validAt } of await memory.episodes(idsOf('episode')))
    texts.set(id, { text: content || (attachments[0]?.description ?? null), speaker, at: validAt });
  for (const { id, statement, validAt } of await memory.facts(idsOf('fact')))
    texts.set(id, { text: statement, speaker: null, at: validAt });
  for (const { owner, name, summary } of await memory.profiles(idsOf('entity')))
    texts.set(owner, { text: summary === '' ? name : `${name}: ${summary}`, speaker: null, at: null });
  return texts;
}
