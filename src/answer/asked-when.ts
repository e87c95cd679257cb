import { analyze } from '../search/analyzer.ts';
import { describeInterval, type Interval } from '../time/calendar.ts';
import { readTimes } from '../time/read-times.ts';
import { clockTime } from '../util/speaker-clock.ts';
import type { ScoredQuote, TermKnowledge } from './score-quotes.ts';

/** Characters between two times that are the ends of one: "from 3 May to 9 May". */
const SHORT_GAP = 7;
/** A sentence with more times is a list. */
const MOST_TIMES = 12;

/**
 * The one of several times in a sentence that a question asks for: 9 May of "I saw the dentist on 3 May and the doctor on
 * 9 May" for the doctor. Null where the sentence has one time, or its times are the ends of one.
 */
export function timeAskedIn(
  { item, text, clock }: Pick<ScoredQuote, 'item' | 'text' | 'clock'>,
  question: string,
  { isSpeaker }: Pick<TermKnowledge, 'isSpeaker'>,
): string | null {
  const { kind } = item;
  const reference = kind === 'fact' ? clockTime({ validAt: item.saidAt, offset: item.offset }) : clock;
  const named = readTimes(text, { reference });
  if (named.length > MOST_TIMES) return null;
  // "Last week (week of 4 May 2026)" is one.
  const times = named.filter(({ index }) => text.lastIndexOf('(', index) <= text.lastIndexOf(')', index));
  const isEnd = (at: number) =>
    at > 0 && times[at]!.index - (times[at - 1]!.index + times[at - 1]!.length) < SHORT_GAP;
  if (times.length < 2 || times.some((_, at) => isEnd(at))) return null;
  const terms = new Set(analyze(question).filter((term) => !isSpeaker(term)));
  // What is said of a time stands before it, or after it where the sentence begins with one.
  const isFirst = text.slice(0, times[0]!.index).trim().length < 3;
  let [most, found] = [0, null as Interval | null];
  for (const [at, { index, length, interval }] of times.entries()) {
    const end = isFirst ? times[at + 1]?.index : index + length;
    // A later clause leans on those before it: "and sold it", "and the doctor".
    const said = text.slice(0, at === times.length - 1 ? text.length : end);
    const covered = new Set(analyze(said).filter((term) => terms.has(term))).size;
    if (covered > most) [most, found] = [covered, interval];
  }
  return found === null ? null : describeInterval(found);
}
