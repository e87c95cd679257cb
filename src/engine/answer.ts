import { askedOthers } from '../answer/asked-others.ts';
import { asksAboutEnded, asksAboutPast } from '../answer/asked-past.ts';
import { askedSubject, type PeopleKnowledge } from '../answer/asked-subject.ts';
import { asksAdviser, asksForOwnWords, toAdviser } from '../answer/candidate-quotes.ts';
import { ENOUGH_CONFIDENCE } from '../answer/defaults.ts';
import { extractiveAnswer } from '../answer/extractive-answer.ts';
import type { Answerer, AnswerListener, GivenAnswer } from '../answer/given-answer.ts';
import { isLivingNoun, isThingNoun, memberOfKind } from '../answer/kinds.ts';
import { listedKind } from '../answer/listed-members.ts';
import { answerQuestion } from '../answer/llm/answer-question-prompt.ts';
import { llmAnswer } from '../answer/llm/llm-answer.ts';
import { membersOfKind } from '../answer/members-of-kind.ts';
import type { MemoryContext } from '../answer/memory-context.ts';
import { outdatedTurns } from '../answer/outdated-turns.ts';
import { periodAnswer } from '../answer/period-answer.ts';
import { NEUTRAL, premiseAgreement, type Sides } from '../answer/premise.ts';
import { profileAnswer } from '../answer/profile-answer.ts';
import { asksBetween } from '../answer/reckoning.ts';
import { asksForNow } from '../answer/score-quotes.ts';
import { isBareSummary, summaryAsked } from '../answer/summary-asked.ts';
import { bestKnown } from '../browse/people.ts';
import { CancelledError, MnemisError } from '../errors/index.ts';
import type { TokenBudget } from '../inference/language-model/calling/token-budget.ts';
import { minusUsage } from '../inference/language-model/tokens/plus-usage.ts';
import { type NounTaxonomy, sharedNounTaxonomy } from '../inference/taxonomy/noun-taxonomy.ts';
import type { ContextForm } from '../model/context-form.ts';
import type { Milliseconds } from '../model/ids.ts';
import { NO_USAGE, type RetrievedEpisode, type SearchResult, type Usage } from '../model/retrieved-item.ts';
import { standingOf } from '../model/standing.ts';
import { selectNodes } from '../retrieve/categories/select-nodes-prompt.ts';
import { BY_SPEAKER } from '../retrieve/fuse.ts';
import type { Question } from '../retrieve/question.ts';
import { type Recipe, recipe } from '../retrieve/recipes/recipe.ts';
import { rewriteQuestion } from '../retrieve/rewrite/rewrite-question-prompt.ts';
import type { SearchSettings } from '../retrieve/search.ts';
import { BY_WORDS_AROUND, SYSTEM1 } from '../retrieve/similarity/defaults.ts';
import type { Validity } from '../retrieve/time-view.ts';
import { analyze } from '../search/analyzer.ts';
import type { LookBack } from '../search/look-back.ts';
import type { Timeline } from '../search/timeline.ts';
import { type Relative, relativeIn } from '../util/relatives.ts';
import { entityNameKey } from '../util/tidy.ts';
import { foundOfPeriod, turnsOfPeriod } from './asked-period.ts';
import { changesFor, endingsOf } from './changes.ts';
import type { MemoryView } from './past/known-indexes.ts';
import { profileFor } from './profile.ts';
import { currentFacts, formerStates, neighboursOf, presentOf, thenOf } from './quoting-view.ts';
import type { AskedIn } from './read-question.ts';

export interface AskSettings extends AnswerListener, Pick<AskedIn, 'asker'>, Pick<SearchSettings, 'filter'> {
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
  /** Whether the answer reports its context and the time it took (`trace`). Default false. */
  readonly traced?: boolean | undefined;
  /** What of the ranking a model reads. Default `filled`: the best, until `contextTokens` are used. */
  readonly contextForm?: ContextForm | undefined;
  /** Receives the sources that the answer is composed from, before it is written. */
  readonly onContext?: ((context: MemoryContext) => void) | undefined;
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
  const { failure = null } = result.rewritten ?? {};
  if (failure !== null) notes.push(`the question was not rewritten (${failure}): it was searched as it is`);
  return { ...answer, notes: [...notes, ...answer.notes], byStage: stagesOf(answer) };
}

/** Only the rewriting, the walk down the categories and the answer itself ask a model. */
function stagesOf({ usage, search }: GivenAnswer): Readonly<Record<string, Usage>> {
  const rewriting = search.rewritten?.usage ?? NO_USAGE;
  const stages = [
    [rewriteQuestion.name, rewriting],
    [selectNodes.name, minusUsage(search.usage, rewriting)],
    [answerQuestion.name, minusUsage(usage, search.usage)],
  ] as const;
  return Object.fromEntries(stages.filter(([, { calls }]) => calls > 0));
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
    const { unusable, ...answer } = await llmAnswer(result, {
      model: languageModel,
      now: at,
      context: sourced,
      signal,
      budget,
      onText,
    });
    if (unusable === null) return answer;
    const quoted = inOnePiece(await localAnswer(context, result, settings), settings);
    const { usage, notes } = answer;
    return { ...quoted, usage, notes: [...notes, `the answer of the language model ${unusable}; ${QUOTES}`] };
  } catch (error) {
    if (CancelledError.isInstance(error) || !MnemisError.isInstance(error)) throw error;
    const answer = await localAnswer(context, result, settings);
    if (!isShown) inOnePiece(answer, settings);
    return { ...answer, notes: [`the language model failed (${error.code}); ${QUOTES}`] };
  }
}

const QUOTES = 'this answer quotes memory';

function inOnePiece(answer: GivenAnswer, { onText }: AskSettings): GivenAnswer {
  if (answer.answered) onText?.(answer.text);
  return answer;
}

async function localAnswer(
  context: AnswerContext,
  search: SearchResult,
  settings: AskSettings,
): Promise<GivenAnswer> {
  const answer = await quotedAnswer(context, { ...search, query: toAdviser(search) }, settings);
  return { ...answer, question: search.query, search };
}

async function quotedAnswer(
  context: AnswerContext,
  result: SearchResult,
  settings: AskSettings,
): Promise<GivenAnswer> {
  const { view, question } = context;
  const { times, clock, threshold } = settings;
  const now = presentOf(times, clock);
  const time = thenOf(view, settings);
  const changes = await changesFor(view, result, { asker: settings.asker, time });
  if (changes !== null) return changes;
  const topic = summaryAsked(result.query);
  const about = topic === null ? result.query : `What do you know about ${topic}?`;
  const profile = await profileFor(view, about, { asker: settings.asker, time });
  const whole = profile === null ? null : profileAnswer(result, profile);
  if (whole !== null) return whole;
  const period = foundOfPeriod(view, question, result);
  const isOfPeriod = topic !== null && isBareSummary(question.time.without);
  if (period !== null && (question.asksForPeriod || isOfPeriod)) {
    const told = periodAnswer(result, await turnsOfPeriod(view, time, period), times.asOf ?? now);
    if (told !== null) return told;
  }
  const neighbours = await neighboursOf(view, result.episodes, time);
  const replies = [...neighbours.values()].flatMap(({ after }) => after ?? []);
  const outdated = await outdatedTurns(view, { episodes: [...result.episodes, ...replies] }, time);
  const { conversation, timeline } = view.index.episodes;
  const { speakerTerms, kind, kindWords } = question;
  const taxonomy = await sharedNounTaxonomy();
  const listed = listedKind(result.query, kindWords);
  const ofKind = listed === null ? null : membersOfKind(listed, taxonomy);
  const people = peopleOf(view, taxonomy);
  const relative = relativeIn(question.text, people.isLiving);
  const isAdvice = asksAdviser(result.query);
  const sides = isAdvice ? NOBODY : sidesOf(question, timeline, relative);
  const others = askedOthers(result.query);
  const isBetween = asksBetween(result.query);
  const knowledge = {
    weight: (term: string) => conversation.inverseDocumentFrequency(conversation.documentFrequency(term)),
    isSpeaker: (term: string) => speakerTerms.has(term),
    kind: listed === null ? kind : analyze(listed),
    isOfKind:
      ofKind !== null
        ? (sentence: string) => ofKind.nounsIn(sentence).length > 0 || ofKind.namesIn(sentence, '').length > 0
        : kindWords === ''
          ? null
          : memberOfKind(kindWords, taxonomy),
    members: listed === null ? null : membersOfKind(listed, taxonomy, 1),
    sides,
    relative,
    // What held before may hold still.
    times:
      isBetween || question.time.asksState
        ? []
        : question.time.periods.filter(({ isByAsking }) => isByAsking),
    besides: others?.besides,
    neighbours,
    people,
  };
  // Who else was there, anybody may tell.
  const isOfOthers = others !== null && question.asksForName;
  const agreement = isOfOthers || isAdvice ? NEUTRAL : await premiseOf(context, sides, result);
  const at = times.asOf ?? now;
  const past = allowsPast(result.query, settings);
  const endings = asksForNow(asAsked(result).query) ? await endingsOf(view, result, time) : [];
  const quoted = (found: SearchResult, onlyPlain = false) =>
    extractiveAnswer(withTurns(asAsked(found), endings), knowledge, {
      at,
      outdated,
      allowsPast: past,
      agreement,
      threshold,
      isSummary: topic !== null,
      onlyPlain,
      // As of a past time, what held even earlier is left to questions about it.
      formerStates: times.asOf === null ? (items) => formerStates(view, items, time) : undefined,
    });
  // What mentions the time that is asked for needs none of its words, unless it is one end of what is reckoned.
  const ofPeriod = period === null || topic !== null || isBetween ? null : await quoted(period.result);
  const isSure =
    ofPeriod?.answered === true && ofPeriod.confidence! >= (threshold ?? ENOUGH_CONFIDENCE) + SURER;
  const answer = isSure ? ofPeriod : await quoted({ ...result, query: topic ?? result.query });
  const isFound = result.episodes.length + result.facts.length > 0;
  const known = answer.answered || !isFound || topic !== null ? null : await ofKnownFacts();
  return known ?? answer;

  /** A fact of the one who is asked about may say it in words that no search finds. */
  async function ofKnownFacts(): Promise<GivenAnswer | null> {
    const name = relative?.name ?? askedSubject(result.query, people)?.name;
    const entity = name === undefined ? null : bestKnown(view.index, name);
    const facts = entity === null ? [] : await currentFacts(view, entity, time);
    const found = facts.length === 0 ? null : await quoted({ ...result, episodes: [], facts }, true);
    return found?.answered === true ? found : null;
  }
}

/** With the question as quotes are compared with it, and the turns that may be quoted. */
function asAsked(found: SearchResult): SearchResult {
  const query = (askedOthers(found.query)?.question ?? found.query).replace(ANY_MORE, 'anymore');
  return { ...found, query, episodes: found.episodes.filter(sharesWords) };
}

function withTurns(found: SearchResult, more: readonly RetrievedEpisode[]): SearchResult {
  return { ...found, episodes: [...found.episodes, ...more] };
}

/** "Does she drink coffee any more?" asks for no more coffee. */
const ANY_MORE = /\bany more(?=[\s?!.]*$)/i;

/** By so much the confidence is higher where the time of the question is not asked of its quotes. */
const SURER = 0.05;

function peopleOf({ index }: MemoryView, taxonomy: NounTaxonomy): PeopleKnowledge {
  const { entities, episodes } = index;
  const speakers = new Set(episodes.timeline.liveSpeakerNames());
  const isEntity = (name: string) =>
    entities
      .idsOfName(entityNameKey(name))
      .some((id) => entities.profileOf(id)?.tags.includes('person') ?? false);
  return {
    isPerson: (name) => speakers.has(name) || isEntity(name),
    isLiving: isLivingNoun(taxonomy),
    isNoun: (word) => taxonomy.sensesOf(word).length > 0,
    isThing: isThingNoun(taxonomy),
  };
}

/** False for a turn that was found by its speaker alone: it may be about anything, so it is no quote. */
function sharesWords({ why }: RetrievedEpisode): boolean {
  return why.some(({ list }) => list !== BY_SPEAKER);
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
        lists: { lexical: 1, vector: 0.25 },
        fusion: 'ranks',
        reading: { ...BY_WORDS_AROUND, date: 0, namedSpeaker: 1, asking: 1, temporal: 1 },
      },
    ],
  },
);
const TURNS_COMPARED = 20;
const LISTS = { lexical: 0.7, vector: 0.3 };

const NOBODY: Sides = { asked: new Set(), others: new Set() };

function sidesOf(
  { speakers }: Question,
  timeline: Pick<Timeline, 'speakers' | 'liveSpeakers'>,
  relative: Relative | null,
): Sides {
  const names = (numbers: readonly number[]) => new Set(numbers.map((number) => timeline.speakers[number]!));
  const asked = names([...speakers]);
  // What is said of the daughter by name is about the one whose daughter is asked about.
  return {
    asked: relative === null || asked.size === 0 ? asked : asked.add(relative.name),
    others: names(timeline.liveSpeakers().filter((number) => !speakers.has(number))),
  };
}

/**
 * How well memory supports the question's presuppositions about a speaker, from 0 to 1; neutral if the question names
 * no speaker or all of them. Ranks the turns a second time for the prepared question; calls no model.
 */
async function premiseOf(
  { searchAgain }: AnswerContext,
  sides: Sides,
  result: SearchResult,
): Promise<number> {
  if (sides.asked.size === 0 || sides.others.size === 0) return NEUTRAL;
  const { episodes } = await searchAgain({ recipe: ANYBODY, k: TURNS_COMPARED });
  // That an assistant talks of what somebody said does not refute that it was said.
  const isOwn = (turn: RetrievedEpisode) => standingOf(turn, true) !== 'answer';
  const turns = asksForOwnWords(result) ? episodes.filter(isOwn) : episodes;
  return premiseAgreement({ ...sides, turns, lists: LISTS });
}
