import type { RetrievedEpisode, RetrievedFact, SearchResult } from '../model/retrieved-item.ts';

/** A sentence that may answer, and where it comes from. */
export interface Quote {
  readonly text: string;
  /** What stands around it: the whole turn with its speaker, or the fact itself. */
  readonly context: string;
  readonly item: RetrievedEpisode | RetrievedFact;
  /** Place of the item in the list of its kind, from 0. */
  readonly rank: number;
  readonly validAt: number;
  /** Ids of the turns it rests on. */
  readonly turns: readonly string[];
}

const SENTENCES = /(?<=[.!?。！？])\s+/u;
const ASKS = /[?？]\s*$/u;
const LONGEST_QUOTE = 300;

/** Facts first: they name their people and carry their dates. Questions answer nothing and are left out. */
export function candidateQuotes({ facts, episodes }: SearchResult): Quote[] {
  return [...facts.map(ofFact), ...episodes.flatMap(ofEpisode)];
}

function ofFact(item: RetrievedFact): Quote {
  return {
    text: closed(item.statement),
    context: item.statement,
    item,
    rank: item.rank - 1,
    validAt: item.validAt,
    turns: item.sources.map((source) => source.episode),
  };
}

function ofEpisode(item: RetrievedEpisode): Quote[] {
  const seen = item.attachments.map((attachment) => `[${attachment.kind}: ${attachment.description}]`);
  const context = [item.speaker, item.content, ...seen].join(' ');
  return [...item.content.split(SENTENCES), ...seen]
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '' && !ASKS.test(sentence))
    .map((sentence) => ({
      text: `${item.speaker}: “${cut(sentence)}”`,
      context,
      item,
      rank: item.rank - 1,
      validAt: item.validAt,
      turns: [item.id],
    }));
}

function closed(statement: string): string {
  return /[.!?)…”"]$/.test(statement) ? statement : `${statement}.`;
}

function cut(sentence: string): string {
  return sentence.length <= LONGEST_QUOTE ? sentence : `${sentence.slice(0, LONGEST_QUOTE - 1)}…`;
}
