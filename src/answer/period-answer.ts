import type { Milliseconds } from '../model/ids.ts';
import type { Citation, RetrievedEpisode, RetrievedFact, SearchResult } from '../model/retrieved-item.ts';
import { dayOf, describeInterval, type Interval } from '../time/calendar.ts';
import { isQuestion } from '../util/questions.ts';
import { clockTime, clockTimeOfFact } from '../util/speaker-clock.ts';
import { hasEnded } from '../util/validity.ts';
import { GENERIC_STATEMENT } from './defaults.ts';
import { type GivenAnswer, listedAnswer } from './given-answer.ts';
import { heldUntil } from './quote-text.ts';
import { thoughtsOf } from './thoughts.ts';
import { afterReaction } from './wordings.ts';

/** The most statements of a period that an answer has, and of them from one turn. */
const MOST_STATEMENTS = 8;
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
 * each turn, the best first, the facts read from it, else the sentences that tell something. Null if there are none. A
 * fact that has ended by now is told with the days between which it held.
 */
export function periodAnswer(
  search: SearchResult,
  turns: readonly TurnOfPeriod[],
  now: Milliseconds,
): GivenAnswer | null {
  if (!ASKS_WHAT.test(search.query)) return null;
  const statements = turns
    .flatMap((turn) => statementsOf(turn, now))
    .toSorted((a, b) => rankOf(a) - rankOf(b))
    .slice(0, MOST_STATEMENTS)
    .toSorted((a, b) => a.at.start - b.at.start);
  const citations = statements.map(({ item, quote }, at): Citation => ({ number: at + 1, item, quote }));
  const days = statements.map(({ at }) => describeInterval(at));
  // Of one day the lines need no day.
  const isOneDay = new Set(days).size === 1;
  const lines = citations.map(
    ({ quote, number }, at) =>
      `- ${isOneDay ? '' : `${days[at]}: `}${quote}${statements[at]!.held} [${number}]`,
  );
  return listedAnswer(search, { lines, citations });
}

/** Facts that are dated themselves come first, then others, then what was only said. */
function rankOf({ item }: Statement): number {
  return item.kind === 'episode' ? 2 : item.event === null ? 1 : 0;
}

interface Statement {
  readonly item: RetrievedEpisode | RetrievedFact;
  readonly quote: string;
  /** When it was so, else when it was told. */
  readonly at: Interval;
  /** Of a fact that has ended: between which days it held. */
  readonly held: string;
}

function statementsOf({ turn, facts }: TurnOfPeriod, now: Milliseconds): readonly Statement[] {
  const told = facts
    .filter(({ statement }) => !GENERIC_STATEMENT.test(statement))
    .map((item) => ({
      item,
      quote: `${item.statement.replace(/\.$/, '')}.`,
      at: item.event ?? dayOf(clockTime(turn)),
      held: hasEnded(item.invalidAt, now) ? heldUntil({ ...item, item, clock: clockTimeOfFact(item) }) : '',
    }));
  if (told.length > 0) return told.slice(0, MOST_OF_TURN);
  const sentence = thoughtsOf(turn).find(({ text, isStated }) => isStated && tells(text))?.text;
  return sentence === undefined
    ? []
    : [{ item: turn, quote: `${turn.speaker}: “${sentence}”`, at: dayOf(clockTime(turn)), held: '' }];
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
