import type { Standing } from '../../../model/standing.ts';
import type { TurnToRead } from '../extractor.ts';
import type { Sentence } from './clean-text.ts';
import type { Language } from './language.ts';
import type { Token } from './tagger.ts';
import type { Sincerity, Voice } from './voices.ts';

/** A sentence with the data that decides whether it is read and whose statement it is. */
export interface SpokenSentence extends Sentence {
  /** Null for the turn's own speaker. */
  readonly voice: Voice | null;
  readonly standing: Standing;
  readonly sincerity: Sincerity;
  /** Null for English. */
  readonly language: Language | null;
  /** Whether a later sentence corrected it, so that it states nothing. */
  readonly isWithdrawn: boolean;
  /** Position of an earlier turn that supports it as well: one that it corrects, or whose question it answers. */
  readonly also: number | null;
}

export interface ReadSentence extends SpokenSentence {
  /** Empty for a sentence that is not English. */
  readonly tokens: readonly Token[];
}
export interface ReadTurn {
  readonly turn: TurnToRead;
  /** Position in the unit. */
  readonly at: number;
  readonly speaker: string;
  readonly sentences: readonly ReadSentence[];
  /** Whether it follows a question of somebody else about a third person or a thing: "How is the cat?" */
  readonly isAnswerOfOther: boolean;
}
