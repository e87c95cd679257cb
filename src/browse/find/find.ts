import { InvalidInputError } from '../../errors/index.ts';
import type { IndexedScope } from '../../ingest/ingest-context.ts';
import type { Milliseconds } from '../../model/ids.ts';
import { firstImage } from '../../model/image-uri.ts';
import type { Episode } from '../../model/nodes.ts';
import { DOCUMENT_SOURCES } from '../../model/standing.ts';
import type { ScopeIndex } from '../../search/scope-index.ts';
import { type Hit, TopHits } from '../../search/top-k.ts';
import { type FactLine, factLines } from '../fact-line.ts';
import { type KnownName, namesTyped } from '../names.ts';
import { sessionsNamed, sessionTitles } from '../session-list.ts';
import { AskedWords } from './asked-words.ts';

/** What a search for words finds. `session` and `file` are conversations and documents by their names. */
export const FOUND_KINDS = ['entity', 'category', 'session', 'file', 'fact', 'turn'] as const;
export type FoundKind = (typeof FOUND_KINDS)[number];

export interface FindRequest {
  readonly query: string;
  /** Default: all. */
  readonly kinds?: readonly FoundKind[] | undefined;
  /** The most of each kind, from 1 to 100. Default 12. */
  readonly limit?: number | undefined;
}

/**
 * How well something fits: 3 where the words stand as they were typed, or a name begins with them; 2 where it has all
 * of them; 1 where it has the rarer half of them.
 */
export type Fit = 1 | 2 | 3;

/** Something that a search for words found. */
export interface Found {
  readonly kind: FoundKind;
  readonly id: string;
  readonly fit: Fit;
  /** On one line; matches are between U+0001 and U+0002. */
  readonly text: string;
  /** Of a turn, the title of its conversation; of a name, what it is. */
  readonly where: string;
  /** When it was said, began to hold, or was last said; null for a name. */
  readonly at: Milliseconds | null;
  /** Of a turn: who said it. Of a session: nobody. */
  readonly speaker: string | null;
  /** Of a turn, a session and a file; of a fact, of its first turn. */
  readonly session: string | null;
  /** Of a turn, a session and a file. */
  readonly source: string | null;
  /** Of a fact: its first turn. */
  readonly episode: string | null;
  /** Of a turn: the id of its first image. */
  readonly image: string | null;
}

const DEFAULT_LIMIT = 12;
/** Candidates whose words are compared with the query. */
const LOOKED_AT = 80;
/** Terms that an unfinished word may become. */
const MOST_CONTINUED = 32;
const [K1, B] = [1.2, 0.5];
/** Share of what the words of a query tell that a part of them must have. */
const ENOUGH = 0.5;

/**
 * Names, conversations, documents, facts and turns by their words, the best of each kind first. The words are compared
 * with the index; the rows of a few candidates are read. Of a slim index, turns are not found here.
 *
 * @throws InvalidInputError for a limit out of bounds.
 */
export async function findWords(context: IndexedScope, request: FindRequest): Promise<readonly Found[]> {
  const { query, kinds = FOUND_KINDS, limit = DEFAULT_LIMIT } = request;
  if (!Number.isInteger(limit) || limit < 1 || limit > 100)
    throw new InvalidInputError('The limit must be a whole number from 1 to 100');
  const { index } = context;
  const asked = new AskedWords(query, (start) => continuedIn(index, start));
  if (asked.words.length === 0) return [];
  const wants = (kind: FoundKind) => kinds.includes(kind);
  const names = ['entity', 'category'].filter((kind) => wants(kind as FoundKind)) as (
    | 'entity'
    | 'category'
  )[];
  const lists = await Promise.all([
    names.length === 0 ? [] : foundNames(context, { asked, query, kinds: names, limit }),
    wants('session') || wants('file') ? foundSessions(context, asked, { limit, wants }) : [],
    wants('fact') ? foundFacts(context, asked, limit) : [],
    wants('turn') ? foundTurns(context, asked, limit) : [],
  ]);
  return lists.flat();
}

function continuedIn(index: ScopeIndex, start: string): readonly string[] {
  const { conversation } = index.episodes;
  const terms = new Map<string, number>();
  for (const term of conversation.terms)
    if (term.startsWith(start)) terms.set(term, conversation.documentFrequency(term));
  for (const term of index.facts.lexical.terms())
    if (term.startsWith(start) && !terms.has(term))
      terms.set(term, index.facts.lexical.documentFrequency(term));
  return [...terms]
    .toSorted((a, b) => b[1] - a[1])
    .slice(0, MOST_CONTINUED)
    .map(([term]) => term);
}

interface NamesAsked {
  readonly asked: AskedWords;
  readonly query: string;
  readonly kinds: readonly ('entity' | 'category')[];
  readonly limit: number;
}

async function foundNames(
  { index }: IndexedScope,
  { asked, query, kinds, limit }: NamesAsked,
): Promise<Found[]> {
  const known = await namesTyped(index, { typed: query, kinds, limit: Math.min(50, limit) });
  return known.map((each) => nameFound(each, asked));
}

function nameFound({ kind, id, name, alias, tags }: KnownName, asked: AskedWords): Found {
  const shown = alias === null ? name : `${name} (${alias})`;
  const isWhole = asked.placeIn(name) === 0 || (alias !== null && asked.placeIn(alias) === 0);
  return {
    ...NOTHING,
    ...{ kind, id, fit: isWhole ? 3 : 2, text: asked.partOf(shown), where: tags.join(', ') },
  };
}

const NOTHING = {
  where: '',
  at: null,
  speaker: null,
  session: null,
  source: null,
  episode: null,
  image: null,
} as const;

async function foundSessions(
  context: IndexedScope,
  asked: AskedWords,
  { limit, wants }: { readonly limit: number; readonly wants: (kind: FoundKind) => boolean },
): Promise<Found[]> {
  const all = await sessionsNamed(context.index);
  return all
    .flatMap(({ session, source, title, to }): Found[] => {
      const kind = DOCUMENT_SOURCES.has(source) ? 'file' : 'session';
      if (!wants(kind)) return [];
      const fit = asked.mayBeIn(title) ? fitOf(title, asked) : 0;
      if (fit === 0) return [];
      const text = asked.partOf(title);
      return [{ ...NOTHING, kind, id: session, fit, text, at: to, session, source }];
    })
    .toSorted((a, b) => b.fit - a.fit || b.at! - a.at!)
    .slice(0, limit);
}

/** 0 where words are missing; how many, and how rare, is not asked. */
function fitOf(text: string, asked: AskedWords): Fit | 0 {
  if (asked.placeIn(text) >= 0) return 3;
  return asked.countIn(text) === asked.words.length ? 2 : 0;
}

async function foundFacts(context: IndexedScope, asked: AskedWords, limit: number): Promise<Found[]> {
  const { lexical, ids } = context.index.facts;
  const terms = asked.words.flatMap(({ terms: each }) => each.map((term) => ({ term, weight: 1 })));
  const hits = lexical.top(terms, LOOKED_AT);
  const lines = await factLines(
    context,
    hits.map(({ ordinal }) => ids.idOf(ordinal)),
  );
  return best(
    lines.map((line) => ({ item: line, fit: fitOf(line.statement, asked) })),
    limit,
  ).map(({ item, fit }) => factFound(item, fit, asked));
}

function factFound({ id, statement, validAt, sources }: FactLine, fit: Fit, asked: AskedWords): Found {
  const [first] = sources;
  return {
    ...NOTHING,
    ...{ kind: 'fact', id, fit, text: asked.partOf(statement), at: validAt },
    ...(first !== undefined && { episode: first.episode, session: first.session }),
  };
}

/** Of equal fits in their order, without those that fit badly where others fit well. */
function best<T>(all: readonly { readonly item: T; readonly fit: Fit | 0 }[], limit: number) {
  const fitting = all.filter((each): each is { item: T; fit: Fit } => each.fit > 0);
  const isGood = fitting.some(({ fit }) => fit > 1);
  return fitting
    .filter(({ fit }) => fit > 1 || !isGood)
    .toSorted((a, b) => b.fit - a.fit)
    .slice(0, limit);
}

async function foundTurns(context: IndexedScope, asked: AskedWords, limit: number): Promise<Found[]> {
  const { index, store, scope } = context;
  const hits = rankTurns(index, asked);
  const { ids } = index.episodes;
  const rows = await store.get(
    scope,
    'episode',
    hits.map(({ ordinal }) => ids.idOf(ordinal)),
  );
  const byId = new Map(rows.map((row) => [row.id as string, row]));
  const found = best(
    hits.flatMap(({ ordinal, isWhole }) => {
      const item = byId.get(ids.idOf(ordinal));
      if (item === undefined) return [];
      const fit: Fit = asked.placeIn(textOf(item)) >= 0 ? 3 : isWhole ? 2 : 1;
      return [{ item, fit }];
    }),
    limit,
  );
  const titles = await sessionTitles(context, new Set(found.map(({ item }) => item.session)));
  return found.map(({ item, fit }) => ({
    ...NOTHING,
    ...{ kind: 'turn', id: item.id, fit, text: asked.partOf(textOf(item)), at: item.validAt },
    where: titles.get(item.session) ?? '',
    speaker: item.speaker,
    session: item.session,
    source: item.source,
    image: firstImage(item.attachments),
  }));
}

const textOf = ({ content, attachments }: Episode): string =>
  [content, ...attachments.map(({ description }) => description)].filter((text) => text !== '').join(' ');

interface RankedTurn extends Hit {
  /** Whether it has all words. */
  readonly isWhole: boolean;
}

/** Turns by the words of the query that they have: BM25, and those with all words before the others. */
function rankTurns(index: ScopeIndex, { words }: AskedWords): readonly RankedTurn[] {
  const { conversation, timeline, length } = index.episodes;
  const { averageLength } = conversation;
  const scores = new Float32Array(length);
  const counts = new Uint8Array(length);
  const told = new Float32Array(length);
  const touched: number[] = [];
  let [all, bit] = [0, 0];
  const last = new Uint8Array(length);
  for (const { terms } of words) {
    bit++;
    // A word that memory never heard tells nothing of what the others are about.
    const frequencies = terms.map((term) => conversation.documentFrequency(term)).filter((each) => each > 0);
    const idf = Math.max(0, ...frequencies.map((each) => conversation.inverseDocumentFrequency(each)));
    all += idf;
    for (const term of terms)
      for (const { ordinal, frequency } of conversation.postingsOf(term)) {
        if (scores[ordinal] === 0) touched.push(ordinal);
        const norm = K1 * (1 - B + (B * conversation.lengths.at(ordinal)) / (averageLength || 1));
        scores[ordinal]! += (idf * (K1 + 1) * frequency) / (frequency + norm);
        if (last[ordinal] === bit) continue;
        last[ordinal] = bit;
        counts[ordinal]!++;
        told[ordinal]! += idf;
      }
  }
  // Later turns first where they say the same.
  const whole = new TopHits(LOOKED_AT, (a, b) => timeline.validAt.at(b) - timeline.validAt.at(a));
  const part = new TopHits(LOOKED_AT, (a, b) => timeline.validAt.at(b) - timeline.validAt.at(a));
  for (const ordinal of touched)
    if (counts[ordinal] === words.length) whole.offer(ordinal, scores[ordinal]!);
    else if (told[ordinal]! >= ENOUGH * all) part.offer(ordinal, scores[ordinal]!);
  const hits = whole.hits().map((hit) => ({ ...hit, isWhole: true }));
  return hits.length > 0 ? hits : part.hits().map((hit) => ({ ...hit, isWhole: false }));
}
