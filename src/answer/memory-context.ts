import type { RetrievedFact, RetrievedItem, SearchResult } from '../model/retrieved-item.ts';
import { entityLine, factLine, turnLine } from './context-lines.ts';

/** One thing that memory holds, under the number by which an answer cites it. */
export interface ContextSource {
  /** From 1, in the order of the text. */
  readonly number: number;
  /** The best-ranked of those that say it. */
  readonly item: RetrievedItem;
  readonly line: string;
}

/** All that a model reads of memory to answer one question. */
export interface MemoryContext {
  readonly sources: readonly ContextSource[];
  /** A numbered line for each source; still to be fenced as data by the prompt that shows it. */
  readonly text: string;
  readonly tokens: number;
  /** Sources that the budget had no room for. */
  readonly leftOut: number;
}

/**
 * How much of a search `memoryContext` may show. Each line is counted with its number, the best ranked first; one that
 * no longer fits is left out, and shorter ones after it may still go in.
 */
export interface ContextOptions {
  /** Tokens that the text may have. */
  readonly budget: number;
  /** As the language model counts them, such as its `countTokens`. */
  readonly countTokens: (text: string) => Promise<number>;
}

interface Candidate {
  readonly item: RetrievedItem;
  readonly line: string;
}

/** Entities and facts have twice as many places as turns (Mnemis §3.1), so their second counts as a turn's first. */
const PLACES = { episode: 1, fact: 2, entity: 2 } as const;
/** Facts and entities first, then the turns as they were said. */
const SECTIONS = ['entity', 'fact', 'episode'] as const;
const LONGEST_NUMBER = '[999] ';

/**
 * Turns, facts, entities and categories of a search as one numbered text, each once and always in the same order. The
 * best ranked go in first; what does not fit is left out and counted.
 */
export async function memoryContext(search: SearchResult, options: ContextOptions): Promise<MemoryContext> {
  const candidates = candidatesOf(search);
  const kept = await withinBudget(candidates, options);
  const sources = inOrder(kept).map(({ item, line }, at) => ({ number: at + 1, item, line }));
  const text = sources.map(({ number, line }) => `[${number}] ${line}`).join('\n');
  return {
    sources,
    text,
    tokens: text === '' ? 0 : await options.countTokens(text),
    leftOut: candidates.length - kept.length,
  };
}

/** The best ranked first; of equals the turn, then the fact. */
function candidatesOf({ episodes, facts, entities }: SearchResult): readonly Candidate[] {
  const all: Candidate[] = [
    ...distinct(episodes).map((item) => ({ item, line: turnLine(item) })),
    ...saidOnce(facts).map((said) => ({ item: said[0]!, line: factLine({ first: said[0]!, all: said }) })),
    ...distinct(entities).map((item) => ({ item, line: entityLine(item) })),
  ];
  const place = ({ item }: Candidate) => item.rank / PLACES[item.kind];
  return all.toSorted((a, b) => place(a) - place(b));
}

/** Each row once, the best ranked first. */
function distinct<Item extends Pick<RetrievedItem, 'id' | 'rank'>>(items: readonly Item[]): readonly Item[] {
  const seen = new Set<string>();
  return items.toSorted((a, b) => a.rank - b.rank).filter(({ id }) => !seen.has(id) && seen.add(id));
}

/** Facts by what they state; punctuation and capitals make no other statement. */
function saidOnce(facts: readonly RetrievedFact[]): readonly (readonly RetrievedFact[])[] {
  const groups = new Map<string, RetrievedFact[]>();
  for (const fact of distinct(facts)) {
    const key = fact.statement
      .normalize('NFKC')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, ' ')
      .trim();
    groups.set(key, [...(groups.get(key) ?? []), fact]);
  }
  return [...groups.values()];
}

async function withinBudget(
  candidates: readonly Candidate[],
  { budget, countTokens }: ContextOptions,
): Promise<readonly Candidate[]> {
  const kept: Candidate[] = [];
  let left = budget;
  for (const candidate of candidates) {
    const tokens = await countTokens(`${LONGEST_NUMBER}${candidate.line}\n`);
    // A long turn must not keep out the shorter ones after it.
    if (tokens > left) continue;
    left -= tokens;
    kept.push(candidate);
  }
  return kept;
}

function inOrder(candidates: readonly Candidate[]): readonly Candidate[] {
  return SECTIONS.flatMap((kind) => {
    const section = candidates.filter(({ item }) => item.kind === kind);
    return kind === 'episode' ? section.toSorted(bySaying) : section;
  });
}

function bySaying({ item: a }: Candidate, { item: b }: Candidate): number {
  if (a.kind !== 'episode' || b.kind !== 'episode') return 0;
  const apart = a.validAt - b.validAt;
  return apart || (a.session < b.session ? -1 : a.session > b.session ? 1 : a.index - b.index);
}
