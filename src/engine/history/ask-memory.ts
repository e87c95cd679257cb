import { asksAboutPast, meansWhatIsOver } from '../../answer/asks-about-past.ts';
import { extractiveAnswer } from '../../answer/extractive-answer.ts';
import { outdatedTurns } from '../../answer/outdated-turns.ts';
import { currentSummaries } from '../../hierarchy/refresh-summaries.ts';
import type { Milliseconds } from '../../model/ids.ts';
import type { Answer, SearchResult } from '../../model/retrieved-item.ts';
import { type SearchSettings, search } from '../../retrieve/search.ts';
import { analyze } from '../../search/analyzer.ts';
import { describeEntity } from './describe-entity.ts';
import type { MemoryView } from './known-indexes.ts';
import type { LookBack } from './look-back.ts';

export interface QuestionSettings
  extends Pick<SearchSettings, 'recipe' | 'k' | 'signal' | 'budget' | 'validity'> {
  readonly times: LookBack;
  readonly clock: () => Milliseconds;
}

/** A search of the memory of now or then, about the present or a time that is past. */
export async function searchMemory(
  view: MemoryView,
  query: string,
  { times, clock, ...settings }: QuestionSettings,
): Promise<SearchResult> {
  const asOf = times.asOf === null ? undefined : { at: times.asOf, describe: describeEntity };
  const result = await search(view, query, { ...settings, asOf, now: presentOf(times, clock) });
  return times.asOf === null ? withCurrentSummaries(view, result) : result;
}

/** What a category tells is brought up to date when it is shown: its children may have changed since it was written. */
async function withCurrentSummaries(view: MemoryView, result: SearchResult): Promise<SearchResult> {
  const categories = result.entities.filter(({ layer }) => layer > 0).map(({ id }) => id as string);
  if (categories.length === 0) return result;
  const summaries = await currentSummaries(view, categories);
  const entities = result.entities.map((item) => ({
    ...item,
    summary: summaries.get(item.id) ?? item.summary,
  }));
  return { ...result, entities };
}

/** An answer from the same; a question about what is over may be answered by facts that have ended. */
export async function askMemory(
  view: MemoryView,
  question: string,
  settings: QuestionSettings,
): Promise<Answer> {
  const { times, clock } = settings;
  // As of a time, "did" means that time; only words such as "before" mean what was over by then.
  const allowsPast = times.asOf === null ? asksAboutPast(question) : meansWhatIsOver(question);
  const validity = settings.validity ?? (allowsPast ? 'any' : undefined);
  const now = presentOf(times, clock);
  const result = await searchMemory(view, question, { ...settings, validity });
  const outdated = await outdatedTurns(view, result, { asOf: times.asOf, now });
  const { conversation, timeline } = view.index.episodes;
  const speakers = new Set(timeline.liveSpeakerNames().flatMap((name) => analyze(name)));
  const knowledge = {
    weight: (term: string) => conversation.inverseDocumentFrequency(conversation.documentFrequency(term)),
    isSpeaker: (term: string) => speakers.has(term),
  };
  return extractiveAnswer(result, knowledge, { at: times.asOf ?? now, outdated, allowsPast });
}

/** What was the present when memory knew no more. */
function presentOf({ knownAt }: LookBack, clock: () => Milliseconds): Milliseconds {
  return knownAt ?? clock();
}
