import type { GivenAnswer, SearchResult, WhyItem } from '../../main/contract.ts';
import type { RetrievedItem } from '../../src/model/retrieved-item.ts';
import { wordsOfTurn } from '../parts/turn/words-of-turn.ts';

/** One recipe's run of the question. */
export interface Side {
  readonly recipe: string;
  readonly state: 'waiting' | 'asking' | 'done' | 'failed' | 'stopped';
  /** The answer's text so far. */
  readonly text: string;
  /** What was found; null until then. */
  readonly found: SearchResult | null;
  readonly answer: GivenAnswer | null;
  readonly problem: string | null;
}

export function newSide(recipe: string): Side {
  return { recipe, state: 'waiting', text: '', found: null, answer: null, problem: null };
}

/** Turns, facts and entities of a search: the first of each, then the second of each. */
export function itemsOf({ episodes, facts, entities }: SearchResult): readonly RetrievedItem[] {
  return [...episodes, ...facts, ...entities].sort((a, b) => a.rank - b.rank);
}

/** What a search found, as the list of evidence shows it. */
export function evidenceOf(found: SearchResult, answer: GivenAnswer | null): readonly WhyItem[] {
  const cited = new Map(answer?.citations.map(({ item, number }): [string, number] => [item.id, number]));
  return itemsOf(found).map((item) => ({
    kind: item.kind,
    id: item.id,
    rank: item.rank,
    score: item.score,
    votes: item.why,
    ...wordsOf(item),
    sources: item.sources.map(({ episode, session, index }) => ({ episode, session, index })),
    cited: cited.get(item.id) ?? null,
  }));
}

function wordsOf(item: RetrievedItem): Pick<WhyItem, 'text' | 'speaker' | 'at'> {
  switch (item.kind) {
    case 'episode':
      return { text: wordsOfTurn(item), speaker: item.speaker, at: item.validAt };
    case 'fact':
      return { text: item.statement, speaker: null, at: item.validAt };
    case 'entity':
      return {
        text: item.summary === '' ? item.name : `${item.name}: ${item.summary}`,
        speaker: null,
        at: null,
      };
  }
}
