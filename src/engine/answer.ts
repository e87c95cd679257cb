import { extractiveAnswer } from '../answer/extractive-answer.ts';
import type { Answerer, AnswerListener, GivenAnswer } from '../answer/given-answer.ts';
import { llmAnswer } from '../answer/llm/llm-answer.ts';
import { outdatedTurns } from '../answer/outdated-turns.ts';
import { NEUTRAL, premiseAgreement } from '../answer/premise.ts';
import { asksAboutEnded, asksAboutPast } from '../answer/score-quotes.ts';
import { CancelledError, MnemisError } from '../errors/index.ts';
import type { SearchResult } from '../model/retrieved-item.ts';
import { type Recipe, recipe } from '../retrieve/recipes/recipe.ts';
import { type RunningSearch, runAll, type SearchRun } from '../retrieve/search.ts';
import { IN_CONVERSATION, SYSTEM1 } from '../retrieve/similarity/defaults.ts';
import type { Timeline } from '../search/timeline.ts';
import type { MemoryView } from './history/known-indexes.ts';
import { beginSearch, presentOf, type QuestionSettings } from './search.ts';

export interface AskSettings extends QuestionSettings, AnswerListener {
  /** Who writes the answer. Default: the language model if one is configured. */
  readonly answerer?: Answerer | undefined;
  /** The minimum confidence of a local answer, from 0 to 1. Default `ENOUGH_CONFIDENCE`. */
  readonly threshold?: number | undefined;
}

/** What an answerer reads: the memory and the prepared question. */
export interface AnswerContext {
  readonly view: MemoryView;
  readonly prepared: SearchRun;
}

/**
 * Searches memory and answers from the result. A question about the past may be answered by ended facts. The language
 * model answers if one is configured, unless `answerer` is `local`; if it fails, the answer quotes memory.
 */
export async function askMemory(
  view: MemoryView,
  question: string,
  settings: AskSettings,
): Promise<GivenAnswer> {
  const { prepared, ...search } = await beginSearch(view, question, forAnswer(question, settings));
  const result = await runAll(search);
  settings.onFound?.(result);
  return answerFrom({ view, prepared }, result, settings);
}

/** A running search whose result can be answered from. */
export interface AnswerableSearch extends RunningSearch {
  answer(result: SearchResult, listener?: Pick<AnswerListener, 'onText'>): Promise<GivenAnswer>;
}

/** The search settings for a result that will be answered from. */
export function forAnswer<Settings extends QuestionSettings>(question: string, settings: Settings): Settings {
  return allowsPast(question, settings) ? { validity: 'any', ...settings } : settings;
}

/** With `asOf`, "did" asks about that time; only words such as "before" ask about what had ended by then. */
function allowsPast(question: string, { times }: QuestionSettings): boolean {
  return times.asOf === null ? asksAboutPast(question) : asksAboutEnded(question);
}

/** Answers from a search result; the answer's notes name the routes that were late or failed. */
export async function answerFrom(
  context: AnswerContext,
  result: SearchResult,
  settings: AskSettings,
): Promise<GivenAnswer> {
  const answer = await answerOf(context, result, settings);
  const unread = result.routes.filter(({ end }) => end === 'late' || end === 'failed');
  const notes = unread.map(
    ({ route, end, failure }) =>
      `the route ${route} ${end === 'late' ? 'was late' : 'failed'} (${failure}): its results are missing`,
  );
  return { ...answer, notes: [...notes, ...answer.notes] };
}

async function answerOf(
  context: AnswerContext,
  result: SearchResult,
  settings: AskSettings,
): Promise<GivenAnswer> {
  const { times, clock } = settings;
  const at = times.asOf ?? presentOf(times, clock);
  const { languageModel } = context.view;
  if (languageModel === undefined || settings.answerer === 'local')
    return inOnePiece(await localAnswer(context, result, settings), settings);
  let isShown = false;
  // Streamed text cannot be withdrawn, so a later failure returns no second answer.
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
    const answer = await localAnswer(context, result, settings);
    if (!isShown) inOnePiece(answer, settings);
    return { ...answer, notes: [`the language model failed (${error.code}); this answer quotes memory`] };
  }
}

/** Streams a quoted answer in one piece. */
function inOnePiece(answer: GivenAnswer, { onText }: AskSettings): GivenAnswer {
  if (answer.answered) onText?.(answer.text);
  return answer;
}

async function localAnswer(
  { view, prepared }: AnswerContext,
  result: SearchResult,
  settings: AskSettings,
): Promise<GivenAnswer> {
  const { times, clock, threshold } = settings;
  const now = presentOf(times, clock);
  const outdated = await outdatedTurns(view, result, { asOf: times.asOf, now });
  const { conversation, timeline } = view.index.episodes;
  const { speakerTerms, kind } = prepared.question;
  const knowledge = {
    weight: (term: string) => conversation.inverseDocumentFrequency(conversation.documentFrequency(term)),
    isSpeaker: (term: string) => speakerTerms.has(term),
    kind,
  };
  const agreement = await premiseOf(prepared, timeline);
  const at = times.asOf ?? now;
  const past = allowsPast(result.query, settings);
  return extractiveAnswer(result, knowledge, { at, outdated, allowsPast: past, agreement, threshold });
}

/** Ranks turns by the question's words alone, with no preference for a speaker, form or date. */
const ANYBODY: Recipe = recipe(
  'premise',
  'turns that match a question without its names, no speaker preferred',
  {
    routes: [
      {
        ...SYSTEM1,
        kinds: ['episode'],
        reading: { ...IN_CONVERSATION, namedSpeaker: 1, asking: 1, temporal: 1 },
      },
    ],
  },
);
const TURNS_COMPARED = 20;
/** Weights of the two rankings. */
const LISTS = { lexical: 0.7, vector: 0.3 };

/**
 * How well memory supports the question's presuppositions about a speaker, from 0 to 1; neutral if the question names
 * no speaker or all of them. Ranks the turns a second time for the prepared question; calls no model.
 */
async function premiseOf(
  prepared: SearchRun,
  timeline: Pick<Timeline, 'speakers' | 'liveSpeakers'>,
): Promise<number> {
  const live = timeline.liveSpeakers();
  const named = prepared.question.speakers;
  if (named.size === 0 || named.size >= live.length) return NEUTRAL;
  const names = (numbers: readonly number[]) => new Set(numbers.map((number) => timeline.speakers[number]!));
  const asked = names([...named]);
  const others = names(live.filter((number) => !named.has(number)));
  const { episodes } = await runAll(prepared.again({ recipe: ANYBODY, k: TURNS_COMPARED }));
  return premiseAgreement({ asked, others, turns: episodes, lists: LISTS });
}
