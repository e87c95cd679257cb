import { asksAboutPast, meansWhatIsOver } from '../../answer/asks-about-past.ts';
import { extractiveAnswer } from '../../answer/extractive-answer.ts';
import type { Answerer, GivenAnswer } from '../../answer/given-answer.ts';
import { llmAnswer } from '../../answer/llm/llm-answer.ts';
import { outdatedTurns } from '../../answer/outdated-turns.ts';
import type { AnswerListener } from '../../answer/stream-answer.ts';
import { CancelledError, MnemisError } from '../../errors/index.ts';
import type { SearchResult } from '../../model/retrieved-item.ts';
import { readAsked } from '../../retrieve/asked-kind.ts';
import type { RunningSearch } from '../../retrieve/search-run.ts';
import { analyze } from '../../search/analyzer.ts';
import type { MemoryView } from './known-indexes.ts';
import { premiseOf } from './premise-of.ts';
import { presentOf, type QuestionSettings, searchMemory } from './search-memory.ts';

export interface AskSettings extends QuestionSettings, AnswerListener {
  /** Who answers. Default: the language model where there is one. */
  readonly answerer?: Answerer | undefined;
  /** How sure a local answer must be, from 0 to 1. Default `ENOUGH_CONFIDENCE`. */
  readonly threshold?: number | undefined;
}

/**
 * An answer from the same; a question about what is over may be answered by facts that have ended. A language model
 * answers where there is one, unless the caller chose otherwise; where it fails, memory's own words do.
 */
export async function askMemory(
  view: MemoryView,
  question: string,
  settings: AskSettings,
): Promise<GivenAnswer> {
  const result = await searchMemory(view, question, forAnswer(question, settings));
  settings.onFound?.(result);
  return answerFrom(view, result, settings);
}

/** A search under way whose result can be answered from. */
export interface AnswerableSearch extends RunningSearch {
  answer(result: SearchResult, listener?: Pick<AnswerListener, 'onText'>): Promise<GivenAnswer>;
}

/** The same settings, for a search that is to be answered from. */
export function forAnswer<Settings extends QuestionSettings>(question: string, settings: Settings): Settings {
  return allowsPast(question, settings) ? { validity: 'any', ...settings } : settings;
}

/** As of a time, "did" means that time; only words such as "before" mean what was over by then. */
function allowsPast(question: string, { times }: QuestionSettings): boolean {
  return times.asOf === null ? asksAboutPast(question) : meansWhatIsOver(question);
}

/** An answer from what a search found; its notes tell what could not be searched. */
export async function answerFrom(
  view: MemoryView,
  result: SearchResult,
  settings: AskSettings,
): Promise<GivenAnswer> {
  const answer = await answerOf(view, result, settings);
  const unread = result.routes.filter(({ end }) => end === 'late' || end === 'failed');
  const notes = unread.map(
    ({ route, end, failure }) =>
      `the route ${route} ${end === 'late' ? 'was late' : 'failed'} (${failure}): what it would have found is missing`,
  );
  return { ...answer, notes: [...notes, ...answer.notes] };
}

async function answerOf(view: MemoryView, result: SearchResult, settings: AskSettings): Promise<GivenAnswer> {
  const { times, clock } = settings;
  const at = times.asOf ?? presentOf(times, clock);
  const { languageModel } = view;
  if (languageModel === undefined || settings.answerer === 'local')
    return inOnePiece(await localAnswer(view, result, settings), settings);
  let isShown = false;
  // Only for who listens: what was passed on cannot be asked again.
  const onText =
    settings.onText &&
    ((piece: string) => {
      isShown = true;
      settings.onText?.(piece);
    });
  try {
    const { signal, budget } = settings;
    return await llmAnswer(result, { model: languageModel, now: at, signal, budget, onText });
  } catch (error) {
    if (CancelledError.isInstance(error) || !MnemisError.isInstance(error)) throw error;
    const answer = await localAnswer(view, result, settings);
    if (!isShown) inOnePiece(answer, settings);
    return { ...answer, notes: [`the language model failed (${error.code}); these are memory’s own words`] };
  }
}

/** Memory's own words are there at once. */
function inOnePiece(answer: GivenAnswer, { onText }: AskSettings): GivenAnswer {
  if (answer.answered) onText?.(answer.text);
  return answer;
}

async function localAnswer(
  view: MemoryView,
  result: SearchResult,
  settings: AskSettings,
): Promise<GivenAnswer> {
  const { times, clock, threshold } = settings;
  const now = presentOf(times, clock);
  const outdated = await outdatedTurns(view, result, { asOf: times.asOf, now });
  const { conversation, timeline } = view.index.episodes;
  const speakers = new Set(timeline.liveSpeakerNames().flatMap((name) => analyze(name)));
  const isSpeaker = (term: string) => speakers.has(term);
  const knowledge = {
    weight: (term: string) => conversation.inverseDocumentFrequency(conversation.documentFrequency(term)),
    isSpeaker,
    kind: readAsked(result.query, isSpeaker).kind,
  };
  const agreement = await premiseOf(result.query, timeline, (how) =>
    searchMemory(view, result.query, { ...settings, ...how }),
  );
  const at = times.asOf ?? now;
  const past = allowsPast(result.query, settings);
  return extractiveAnswer(result, knowledge, { at, outdated, allowsPast: past, agreement, threshold });
}
