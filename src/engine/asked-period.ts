import type { TurnOfPeriod } from '../answer/period-answer.ts';
import type { RetrievedEpisode, RetrievedFact, SearchResult } from '../model/retrieved-item.ts';
import { spansOf } from '../retrieve/asked-time.ts';
import type { Question } from '../retrieve/question.ts';
import { nearnessOfTurns, SAID_THEN } from '../retrieve/similarity/asked-days.ts';
import { analyze } from '../search/analyzer.ts';
import type { MemoryView } from './past/known-indexes.ts';
import { factsById, mayQuote, type Then } from './quoting-view.ts';

/** From this nearness on, a turn may be about the time that is asked; from the second on it does. */
const [TELLS_OF_IT, TOLD_OF_IT] = [0.5, SAID_THEN - 0.01];

/** What of a search result mentions the time that its question names. */
export interface FoundOfPeriod {
  /** The result without what mentions other times, for the question without the time, which needs no words then. */
  readonly result: SearchResult;
  /** The turns of the time by those who are asked about, the best first. */
  readonly turns: readonly RetrievedEpisode[];
  readonly isThen: (fact: RetrievedFact) => boolean;
  /** Whether the question names somebody who speaks. */
  readonly namesSpeaker: boolean;
}

/** Null for a question that names no time. */
export function foundOfPeriod(
  { index }: Pick<MemoryView, 'index'>,
  { time, speakers }: Pick<Question, 'time' | 'speakers'>,
  result: SearchResult,
): FoundOfPeriod | null {
  const near = nearnessOfTurns(index, time);
  if (near === null) return null;
  const { ids, timeline } = index.episodes;
  const nearnessOf = (id: string) => near[ids.ordinalOf(id) ?? -1] ?? 0;
  const isThen = ({ event, sources }: RetrievedFact): boolean =>
    event === null || time.asksTold
      ? sources.some(({ episode }) => nearnessOf(episode) >= TELLS_OF_IT)
      : spansOf(time, event).some(({ start, end }) => event.start < end && start < event.end);
  const episodes = result.episodes.filter(({ id }) => nearnessOf(id) >= TELLS_OF_IT);
  const asked = new Set([...speakers].map((number) => timeline.speakers[number]));
  return {
    result: { ...result, query: time.without, episodes, facts: result.facts.filter(isThen) },
    turns: episodes.filter(
      ({ id, speaker }) => nearnessOf(id) >= TOLD_OF_IT && (asked.size === 0 || asked.has(speaker)),
    ),
    isThen,
    namesSpeaker: asked.size > 0,
  };
}

/** Turns of a period with the facts of the time that were read from them; of named speakers those about them. */
export async function turnsOfPeriod(
  memory: MemoryView,
  then: Then,
  { turns, isThen, namesSpeaker }: FoundOfPeriod,
): Promise<readonly TurnOfPeriod[]> {
  const ofTurns = turns.map(({ id }) => memory.index.factsEvidencedBy(id));
  const ids = new Set(ofTurns.flat().filter(mayQuote(memory, then)));
  const facts = new Map((await factsById(memory, [...ids], then)).map((fact) => [fact.id, fact]));
  const isAbout = ({ statement }: RetrievedFact, { speaker }: RetrievedEpisode) => {
    const words = new Set(analyze(statement));
    return analyze(speaker).some((term) => words.has(term));
  };
  return turns.map((turn, at) => ({
    turn,
    facts: ofTurns[at]!.flatMap((id) => facts.get(id) ?? []).filter(
      (fact) => isThen(fact) && (!namesSpeaker || isAbout(fact, turn)),
    ),
  }));
}
