import type { EvaluationQuestion } from '../datasets/dataset.ts';
import { round } from './numbers.ts';
import { countsForRecall, recallAt } from './retrieval-metrics.ts';

/** A quote of an answer, or a citation of a model's. */
export interface Quote {
  readonly kind: 'episode' | 'fact' | 'entity';
  readonly text: string;
  /** Source ids of the turns behind it: the turn itself, or those that a fact or an entity cites. */
  readonly turns: readonly string[];
}

/** What an answer was composed from. */
export interface ComposedContext {
  readonly tokens: number;
  readonly sources: { readonly episodes: number; readonly facts: number; readonly entities: number };
  /** Source ids of the turns in it. */
  readonly turns: readonly string[];
  /** Source ids of the turns that the facts in it cite. */
  readonly citedByFacts: readonly string[];
}

/** An answer with its quotes, in their order, and what it was composed from. */
export interface EvidencedAnswer {
  readonly question: EvaluationQuestion;
  readonly answered: boolean;
  readonly quotes: readonly Quote[];
  readonly context: ComposedContext;
}

/** How much of the gold evidence the quotes of an answer hold. */
export type QuotedEvidence = 'declined' | 'wrong' | 'partial' | 'whole';

/** Quotes that a person reads before the answer counts as missed. */
export const QUOTES_READ = 3;

/** A question with a gold answer and known evidence turns; only these count for evidence in quotes. */
export function isAnswerable(question: EvaluationQuestion): boolean {
  return question.answer !== null && countsForRecall(question);
}

/** `wrong`: answered, but no quote holds a gold evidence turn; `partial`: the quotes hold some of several turns. */
export function quotedEvidence({ question, answered, quotes }: EvidencedAnswer): QuotedEvidence {
  if (!answered) return 'declined';
  const found = shareOf(
    question,
    quotes.flatMap(({ turns }) => turns),
  );
  return found === 0 ? 'wrong' : found < 1 ? 'partial' : 'whole';
}

/** Whether it was answered and a gold evidence turn is behind one of the first quotes. */
export function holdsEvidence({ question, answered, quotes }: EvidencedAnswer, most: number): boolean {
  const read = quotes.slice(0, most).flatMap(({ turns }) => turns);
  return answered && shareOf(question, read) > 0;
}

/** Shares of the answerable questions, in percent; `declined`, `wrong`, `partial` and `whole` add up to 100. */
export interface QuoteFigures {
  readonly answerable: number;
  /** Answered, and the first quote holds a gold evidence turn. */
  readonly evidenceAt1: number | null;
  /** Answered, and one of the first three does. */
  readonly evidenceAt3: number | null;
  readonly whole: number | null;
  readonly partial: number | null;
  readonly wrong: number | null;
  readonly declined: number | null;
  /** Questions whose gold is that memory has no answer, and the share of them that was declined. */
  readonly unanswerable: number;
  readonly unanswerableDeclined: number | null;
}

export function quoteFigures(answers: readonly EvidencedAnswer[]): QuoteFigures {
  const answerable = answers.filter(({ question }) => isAnswerable(question));
  const unanswerable = answers.filter(({ question }) => question.answer === null);
  const ended = (end: QuotedEvidence) => percentOf(answerable, (each) => quotedEvidence(each) === end);
  return {
    answerable: answerable.length,
    evidenceAt1: percentOf(answerable, (each) => holdsEvidence(each, 1)),
    evidenceAt3: percentOf(answerable, (each) => holdsEvidence(each, QUOTES_READ)),
    whole: ended('whole'),
    partial: ended('partial'),
    wrong: ended('wrong'),
    declined: ended('declined'),
    unanswerable: unanswerable.length,
    unanswerableDeclined: percentOf(unanswerable, ({ answered }) => !answered),
  };
}

/**
 * Recall of gold evidence turns within what answers are composed from, over the questions that count for the recall of
 * turns; null if there are none.
 */
export interface ContextFigures {
  /** Mean share of the gold turns that are in the context as turns, in percent. */
  readonly turns: number | null;
  /** Share of the questions all of whose gold turns are in it as turns, in percent. */
  readonly whole: number | null;
  /** As `turns`, where a turn that a fact in the context cites counts too. */
  readonly turnsOrFacts: number | null;
  /** Means over the same questions. */
  readonly tokens: number | null;
  readonly sources: { readonly episodes: number; readonly facts: number; readonly entities: number } | null;
}

export function contextFigures(answers: readonly EvidencedAnswer[]): ContextFigures {
  const counted = answers.filter(({ question }) => countsForRecall(question));
  const mean = (value: (each: EvidencedAnswer) => number) =>
    round(counted.reduce((sum, each) => sum + value(each), 0) / counted.length);
  if (counted.length === 0)
    return { turns: null, whole: null, turnsOrFacts: null, tokens: null, sources: null };
  return {
    turns: mean(({ question, context }) => 100 * shareOf(question, context.turns)),
    whole: percentOf(counted, ({ question, context }) => shareOf(question, context.turns) === 1),
    turnsOrFacts: mean(
      ({ question, context }) => 100 * shareOf(question, [...context.turns, ...context.citedByFacts]),
    ),
    tokens: mean(({ context }) => context.tokens),
    sources: {
      episodes: mean(({ context }) => context.sources.episodes),
      facts: mean(({ context }) => context.sources.facts),
      entities: mean(({ context }) => context.sources.entities),
    },
  };
}

/** The share of a question's gold evidence turns among some turns, from 0 to 1. */
function shareOf({ evidenceTurns }: EvaluationQuestion, turns: readonly string[]): number {
  return recallAt(turns, evidenceTurns, Number.POSITIVE_INFINITY) ?? 0;
}

function percentOf(
  answers: readonly EvidencedAnswer[],
  holds: (answer: EvidencedAnswer) => boolean,
): number | null {
  return answers.length === 0 ? null : round((100 * answers.filter(holds).length) / answers.length);
}
