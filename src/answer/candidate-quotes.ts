import type { RetrievedEpisode, RetrievedFact, SearchResult } from '../model/retrieved-item.ts';
import { described } from '../util/described.ts';

/** A sentence that may answer, and where it comes from. */
export interface Quote {
  readonly text: string;
  /** What it is understood from: the turn's other statements and the turn before it. Quotes of a turn share it. */
  readonly context: string;
  readonly item: RetrievedEpisode | RetrievedFact;
  /** Place of the item in the list of its kind, from 0. */
  readonly rank: number;
  readonly validAt: number;
  /** When a fact ceased to hold, whether that has come or not; null while it holds, and for turns. */
  readonly invalidAt: number | null;
  /** Whether it says itself when what it tells of took place. */
  readonly isDated: boolean;
  /** Ids of the turns it rests on. */
  readonly turns: readonly string[];
}

const SENTENCES = /(?<=[.!?。！？])\s+/u;
/** A bracket, a quotation mark or an exclamation mark may stand after the question mark. */
const ASKS = /[?？][!！?？)”’"']*\s*$/u;
const LONGEST_QUOTE = 300;
const ANY_WORD = /[\p{L}\p{N}\p{Extended_Pictographic}]/u;

/** Facts name their people and carry their dates; turns have the rest. Questions answer nothing and are left out. */
export function candidateQuotes({ facts, episodes }: SearchResult): Quote[] {
  const turnAt = new Map(episodes.map((episode) => [place(episode), episode]));
  return [
    ...facts.filter(({ statement }) => !ASKS.test(statement)).map(ofFact),
    ...episodes.flatMap((episode) =>
      ofEpisode(episode, turnAt.get(place({ ...episode, index: episode.index - 1 }))),
    ),
  ];
}

function place({ session, index }: Pick<RetrievedEpisode, 'session' | 'index'>): string {
  return JSON.stringify([session, index]);
}

function ofFact(item: RetrievedFact): Quote {
  return {
    text: closed(item.statement),
    context: item.statement,
    item,
    rank: item.rank - 1,
    validAt: item.validAt,
    invalidAt: item.invalidAt,
    isDated: item.event !== null,
    turns: item.sources.map((source) => source.episode),
  };
}

function ofEpisode(item: RetrievedEpisode, before: RetrievedEpisode | undefined): Quote[] {
  const seen = described(item.attachments).map(({ kind, description }) => `[${kind}: ${description}]`);
  const sentences = [...item.content.split(SENTENCES), ...seen].map((sentence) => sentence.trim());
  // What a turn says again and again is one quote, and signs alone are none.
  const told = [...new Set(sentences)].filter((sentence) => ANY_WORD.test(sentence) && !ASKS.test(sentence));
  // What the turn itself asks is for the next turn to answer; what the turn before asked is for this one.
  const context = [before?.content ?? '', item.speaker, ...told].join(' ');
  return told.map((sentence) => ({
    text: `${item.speaker}: “${cut(sentence)}”`,
    context,
    item,
    rank: item.rank - 1,
    validAt: item.validAt,
    invalidAt: null,
    isDated: false,
    turns: [item.id],
  }));
}

function closed(statement: string): string {
  return /[.!?…]$/.test(statement) ? statement : `${statement}.`;
}

function cut(sentence: string): string {
  return sentence.length <= LONGEST_QUOTE ? sentence : `${sentence.slice(0, LONGEST_QUOTE - 1)}…`;
}
