import type { Citation, RetrievedEpisode, RetrievedFact, SearchResult } from '../model/retrieved-item.ts';
import { isQuestion } from './candidate-quotes.ts';
import { GENERIC_STATEMENT } from './defaults.ts';
import type { GivenAnswer } from './given-answer.ts';
import { thoughtsOf } from './thoughts.ts';
import { afterReaction } from './wordings.ts';

/** The most statements of a period that an answer has, and of them from one turn. */
const MOST_STATEMENTS = 5;
const MOST_OF_TURN = 2;
/** Words of a sentence that tells something. */
const FEWEST_WORDS = 6;

/** A place or a person is not answered by all that there is. */
const ASKS_WHAT = /^(?!.*\b(?:where|who|whom|whose|why|how|which)\b)/i;
const OF_SPEAKER = /(?<![\p{L}])(?:I|we|my|our)(?![\p{L}])/u;

/** A turn of a period, with the facts that were read from it and hold for it. */
export interface TurnOfPeriod {
  readonly turn: RetrievedEpisode;
  readonly facts: readonly RetrievedFact[];
}

/**
 * The answer to "What did Ann do on 18 January?": the statements of that time in the order in which they were told. Of
 * each turn, the best first, the facts read from it, else the sentences that tell something. Null if there are none.
 */
export function periodAnswer(search: SearchResult, turns: readonly TurnOfPeriod[]): GivenAnswer | null {
  if (!ASKS_WHAT.test(search.query)) return null;
  const statements = turns
    .flatMap(statementsOf)
    .toSorted((a, b) => Number(isSaid(a)) - Number(isSaid(b)))
    .slice(0, MOST_STATEMENTS);
  if (statements.length === 0) return null;
  const citations = statements
    .toSorted((a, b) => a.at - b.at)
    .map(({ item, quote }, at): Citation => ({ number: at + 1, item, quote }));
  return {
    question: search.query,
    answered: true,
    text: citations.map(({ quote, number }) => `- ${quote} [${number}]`).join('\n'),
    citations,
    search,
    usage: search.usage,
    answerer: 'local',
    confidence: 1 - 0.5 ** citations.length,
    notes: [],
  };
}

const isSaid = ({ item }: Statement) => item.kind === 'episode';

interface Statement {
  readonly item: RetrievedEpisode | RetrievedFact;
  readonly quote: string;
  /** Its turn's time. */
  readonly at: number;
}

function statementsOf({ turn, facts }: TurnOfPeriod): readonly Statement[] {
  const told = facts
    .filter(({ statement }) => !GENERIC_STATEMENT.test(statement))
    .map((item) => ({ item, quote: `${item.statement.replace(/\.$/, '')}.`, at: turn.validAt }));
  if (told.length > 0) return told.slice(0, MOST_OF_TURN);
  const sentence = thoughtsOf(turn).find(({ text, isStated }) => isStated && tells(text))?.text;
  return sentence === undefined
    ? []
    : [{ item: turn, quote: `${turn.speaker}: “${sentence}”`, at: turn.validAt }];
}

function tells(text: string): boolean {
  const words = text.match(/[\p{L}\p{N}’'-]+/gu)?.length ?? 0;
  return (
    words >= FEWEST_WORDS &&
    OF_SPEAKER.test(text) &&
    !isQuestion(text) &&
    !text.includes('\n') &&
    afterReaction(text) === null
  );
}
