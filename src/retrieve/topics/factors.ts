import type { ScopeIndex } from '../../search/scope-index.ts';
import type { Question } from '../question.ts';
import { type AskedTime, isAskedFor } from './asked-time.ts';
import type { MemoryUnit } from './candidates.ts';
import type { TopicFactors } from './settings.ts';

/** Bit 1 of a turn's flags: it speaks of a time. */
const SPEAKS_OF_TIME = 2;

/** The three signals of equation 11 (GAM §3.4, PAPERS §3.7). */
export interface Indicators {
  /** The question is about a time, and the turn speaks of one or was said in it. */
  readonly time: boolean;
  /** A speaker whom the question names said it. */
  readonly role: boolean;
  /** The self-check at encoding vouched for it. */
  readonly confidence: boolean;
}

export interface Signals {
  readonly index: ScopeIndex;
  readonly question: Pick<Question, 'speakers'>;
  readonly time: AskedTime;
}

/** Of a topic, those that hold of one of its turns. */
export function indicatorsOf({ turns }: MemoryUnit, { index, question, time }: Signals): Indicators {
  const { conversation, timeline } = index.episodes;
  const isTimely = (turn: number) =>
    (conversation.flags.at(turn) & SPEAKS_OF_TIME) !== 0 || isAskedFor(timeline.validAt.at(turn), time);
  return {
    time: time.isAsked && turns.some(isTimely),
    role: turns.some((turn) => question.speakers.has(timeline.speaker.at(turn))),
    confidence: turns.some((turn) => index.marks.isVerified(turn)),
  };
}

/** What P_sem is multiplied by: the product of the factors whose indicator is 1. */
export function modulation(indicators: Indicators, factors: TopicFactors): number {
  const { time, role, confidence } = indicators;
  return (time ? factors.time : 1) * (role ? factors.role : 1) * (confidence ? factors.confidence : 1);
}
