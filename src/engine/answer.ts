import { extractiveAnswer } from '../answer/extractive-answer.ts';
import type { Answerer, AnswerListener, GivenAnswer } from '../answer/given-answer.ts';
import { llmAnswer } from '../answer/llm/llm-answer.ts';
import type { MemoryContext } from '../answer/memory-context.ts';
import { outdatedTurns } from '../answer/outdated-turns.ts';
import { NEUTRAL, premiseAgreement } from '../answer/premise.ts';
import { asksAboutEnded, asksAboutPast } from '../answer/score-quotes.ts';
import { CancelledError, MnemisError } from '../errors/index.ts';
import type { TokenBudget } from '../inference/language-model/calling/token-budget.ts';
import type { Milliseconds } from '../model/ids.ts';
import type { SearchResult } from '../model/retrieved-item.ts';
import type { Question } from '../retrieve/question.ts';
import { type Recipe, recipe } from '../retrieve/recipes/recipe.ts';
import { BY_WORDS_AROUND, SYSTEM1 } from '../retrieve/similarity/defaults.ts';
import type { Validity } from '../retrieve/time-view.ts';
import type { LookBack } from '../search/look-back.ts';
import type { Timeline } from '../search/timeline.ts';
import type { MemoryView } from './history/known-indexes.ts';

export interface AskSettings extends AnswerListener {
  readonly times: LookBack;
  readonly clock: () => Milliseconds;
  readonly signal?: AbortSignal | undefined;
  readonly budget?: TokenBudget | undefined;
  /** Who writes the answer. Default: the language model if one is configured. */
  readonly answerer?: Answerer | undefined;
  /** The minimum confidence of a local answer, from 0 to 1. Default `ENOUGH_CONFIDENCE`. */
  readonly threshold?: number | undefined;
  /** The most tokens of memory that the answer is composed from. */
  readonly contextTokens?: number | undefined;
}

/** What an answerer reads: the memory, the question and the composed context. */
export interface AnswerContext {
  readonly view: MemoryView;
  readonly question: Question;
  readonly sources: MemoryContext;
  /** Searches for the same question by another recipe. */
  readonly searchAgain: (settings: { readonly recipe: Recipe; readonly k: number }) => Promise<SearchResult>;
}

/** The search settings for a result that will be answered from. */
export function forAnswer<
  Settings extends Pick<AskSettings, 'times'> & { readonly validity?: Validity | undefined },
>(question: string, settings: Settings): Settings {
  return allowsPast(question, settings) ? { validity: 'any', ...settings } : settings;
}

/** With `asOf`, "did" asks about that time; only words such as "before" ask about what had ended by then. */
function allowsPast(question: string, { times }: Pick<AskSettings, 'times'>): boolean {
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
    const { sources: sourced } = context;
    return await llmAnswer(result, {
      model: languageModel,
      now: at,
      context: sourced,
      signal,
      budget,
      onText,
    });
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
  context: AnswerContext,
  result: SearchResult,
  settings: AskSettings,
): Promise<GivenAnswer> {
  const { view, question } = context;
  const { times, clock, threshold } = settings;
  const now = presentOf(times, clock);
  const outdated = await outdatedTurns(view, result, { asOf: times.asOf, now });
  const { conversation, timeline } = view.index.episodes;
  const { speakerTerms, kind } = question;
  const knowledge = {
    weight: (term: string) => conversation.inverseDocumentFrequency(conversation.documentFrequency(term)),
    isSpeaker: (term: string) => speakerTerms.has(term),
    kind,
  };
  const agreement = await premiseOf(context, timeline);
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
        reading: { ...BY_WORDS_AROUND, namedSpeaker: 1, asking: 1, temporal: 1 },
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
  { question, searchAgain }: AnswerContext,
  timeline: Pick<Timeline, 'speakers' | 'liveSpeakers'>,
): Promise<number> {
  const live = timeline.liveSpeakers();
  const named = question.speakers;
  if (named.size === 0 || named.size >= live.length) return NEUTRAL;
  const names = (numbers: readonly number[]) => new Set(numbers.map((number) => timeline.speakers[number]!));
  const asked = names([...named]);
  const others = names(live.filter((number) => !named.has(number)));
  const { episodes } = await searchAgain({ recipe: ANYBODY, k: TURNS_COMPARED });
  return premiseAgreement({ asked, others, turns: episodes, lists: LISTS });
}

/** The "now" of a question: its `knownAt`, else the clock. */
export function presentOf({ knownAt }: LookBack, clock: () => Milliseconds): Milliseconds {
  return knownAt ?? clock();
}
