import { type Embedder, meaningOf } from '../../inference/embedder.ts';
import { ROLES } from '../../model/codes.ts';
import type { EpisodeIndex } from '../../search/episode-index.ts';
import type { ScopeIndex } from '../../search/scope-index.ts';
import { TALKS } from '../../search/talk.ts';
import { NONE } from '../../search/timeline.ts';
import type { Question } from '../question.ts';
import type { Eligible } from '../time-view.ts';
import { nearnessOfTurns } from './asked-days.ts';
import { calibrate, shareSeen, VECTORS_READ } from './calibrate.ts';
import { Cosines } from './cosines.ts';
import type { ConversationReading, Readings } from './defaults.ts';

interface QueryOfTurns {
  readonly question: Question;
  /** All zero when the question has no features. */
  readonly queryVector: Float32Array;
  readonly embedder: Pick<Embedder, 'meaning' | 'maxTokens'>;
  readonly eligible: Eligible;
}

interface Scored {
  readonly lexical: () => Float32Array;
  readonly vector: () => Float32Array;
  readonly mixed: () => Float32Array;
}

/** Scores of all turns for one question, by ordinal, computed on first use; 0 for turns that are not eligible. */
export class TurnScores {
  readonly #ofReading = new Map<Readings, Scored>();
  readonly #index: ScopeIndex;
  readonly #asked: QueryOfTurns;
  readonly #near: () => Float32Array | null;
  readonly cosines: Cosines;

  constructor(index: ScopeIndex, asked: QueryOfTurns) {
    this.#index = index;
    this.#asked = asked;
    this.cosines = new Cosines(index, asked.queryVector);
    this.#near = once(() => nearnessOfTurns(index, asked.question.time));
  }

  lexical(reading: Readings): Float32Array {
    return this.#scored(reading).lexical();
  }

  vector(reading: Readings): Float32Array {
    return this.#scored(reading).vector();
  }

  /** Words and vectors mixed, from 0 to 1. */
  mixed(reading: Readings): Float32Array {
    return this.#scored(reading).mixed();
  }

  #scored(reading: Readings): Scored {
    const known = this.#ofReading.get(reading);
    if (known !== undefined) return known;
    const { question, eligible } = this.#asked;
    const asked = {
      index: this.#index,
      question,
      readings: readingsOf(this.#index, reading),
      near: this.#near(),
    };
    const lexical = once(() => within(lexicalScores(asked), eligible.episode));
    const vector = once(() =>
      within(vectorScores(asked, { ...this.#asked, cosines: this.cosines }), eligible.episode),
    );
    const scored = { lexical, vector, mixed: once(() => mixScores(lexical(), vector())) };
    this.#ofReading.set(reading, scored);
    return scored;
  }
}

function once<T>(compute: () => T): () => T {
  let kept: { readonly value: T } | null = null;
  return () => {
    kept ??= { value: compute() };
    return kept.value;
  };
}

/** Sets the scores of rows that are not eligible to 0, before any cut to a depth. */
export function within(scores: Float32Array, eligible: Uint8Array | null): Float32Array {
  if (eligible !== null)
    for (let ordinal = 0; ordinal < scores.length; ordinal++) scores[ordinal]! *= eligible[ordinal]!;
  return scores;
}

/** A session's vector score is the mean of its best turns' scores. */
const BEST_OF_SESSION = 3;
/** The date's share of the best in calibrated cosines, where no document frequency scales it, and its part of a sum of others. */
const VECTOR_DATE = 0.4;
/** A date alone counts at most this share of the best match, so that it never outweighs a turn about the question. */
const MOST_OF_DATE = 0.75;
/** … unless nothing else is asked. */
const ONLY_DATE = 3;

type ComparedQuery = QueryOfTurns & Pick<TurnScores, 'cosines'>;

interface Asked {
  readonly index: ScopeIndex;
  readonly question: Question;
  readonly readings: SessionReadings;
  /** How near to the asked time each turn is; null if none is asked. */
  readonly near: Float32Array | null;
}

/** The reading of each session. */
interface SessionReadings {
  readonly all: readonly ConversationReading[];
  /** Place in `all` by the number of a session. */
  readonly of: Uint8Array;
  readonly ofTurn: (turn: number) => ConversationReading;
  /** The highest of a weight, 0 if none of the readings has the signal. */
  readonly most: (weight: 'date' | 'facts' | 'session' | 'topic' | 'topicVector') => number;
}

function readingsOf(index: ScopeIndex, reading: Readings): SessionReadings {
  const sessions = index.episodes.timeline.session;
  const isByTalk = 'people' in reading;
  const all = isByTalk ? TALKS.map((talk) => reading[talk]) : [reading];
  const of = isByTalk ? index.talks().ofSessions : new Uint8Array(index.episodes.timeline.sessions.length);
  const used = all.filter((_, place) => !isByTalk || of.includes(place));
  return {
    all,
    of,
    ofTurn: (turn) => all[of[sessions.data[turn]!]!]!,
    most: (weight) => Math.max(0, ...used.map((each) => each[weight])),
  };
}

/** BM25 of every turn in its conversation, by ordinal; 0 or less for a turn without a match. */
function lexicalScores({ index, question, readings, near }: Asked): Float32Array {
  const { conversation, length } = index.episodes;
  const out = new Float32Array(length);
  const topics = readings.most('topic') > 0 ? index.topicsOfTurns() : undefined;
  // A question that is only a name asks for turns that mention it.
  const terms = question.terms.length > 0 ? question.terms : question.allTerms;
  conversation.score(terms, readings, { out, topics });
  if (near !== null && readings.most('date') > 0) {
    const frequency = near.reduce((count, value) => (value > 0 ? count + 1 : count), 0);
    const bonus = readings.most('date') * conversation.inverseDocumentFrequency(frequency);
    addDate(out, near, { bonus, isAll: question.asksForPeriod });
  }
  applyFactors(index.episodes, question, readings, out);
  return out;
}

/** What the cosine of every turn with the question says, spread over the conversation like word scores. */
function vectorScores({ index, question, readings, near }: Asked, query: ComparedQuery): Float32Array {
  const own = similaritiesOfTurns(index.episodes, query, readings);
  const scores = spread(index.episodes, own, readings);
  if (readings.most('session') > 0) addSessions(index.episodes, own, { scores, readings });
  if (near !== null && readings.most('date') > 0)
    addDate(scores, near, {
      bonus: VECTOR_DATE * (isCalibrated(readings) ? highestScore(scores) : 1),
      isAll: question.asksForPeriod,
    });
  applyFactors(index.episodes, question, readings, scores);
  if (readings.most('topicVector') > 0) addTopics(index, query, { scores, readings });
  if (readings.most('facts') > 0) {
    const cosines = query.cosines.of('fact').slice();
    if (isCalibrated(readings)) calibrate(cosines, index.facts.vectors);
    within(cosines, query.eligible.fact);
    addScaled(scores, bestOfFacts(index, cosines), readings.most('facts'));
  }
  return scores;
}

/** For each turn, the highest value of the live facts that cite it; at least 0. */
function bestOfFacts({ facts, episodes, graphs }: ScopeIndex, values: Float32Array): Float32Array {
  const best = new Float32Array(episodes.length);
  const { offsets, others } = graphs.evidence.adjacency('out');
  for (let fact = 0; fact < values.length; fact++) {
    const value = values[fact]!;
    if (!(value > 0) || !facts.lexical.has(fact)) continue;
    // A fact without edges may be beyond the last offset.
    const end = offsets[fact + 1] ?? 0;
    for (let at = offsets[fact] ?? 0; at < end; at++)
      if (value > best[others[at]!]!) best[others[at]!] = value;
  }
  return best;
}

/** Raises turns near the asked date, as far as the best match without the date allows. */
function addDate(
  scores: Float32Array,
  near: Float32Array,
  { bonus, isAll }: { readonly bonus: number; readonly isAll: boolean },
): void {
  const best = highestScore(scores);
  const most = isAll ? ONLY_DATE * best : Math.min(bonus, MOST_OF_DATE * best);
  addScaled(scores, near, best > 0 ? most : bonus);
}

const isCalibrated = ({ all }: SessionReadings) => all[0]!.cosines === 'calibrated';

/** What the cosine of each turn says, from 0; see `ConversationReading.cosines`. */
function similaritiesOfTurns(
  { conversation, vectors, passages, timeline, length }: EpisodeIndex,
  { queryVector, embedder, cosines: compared }: ComparedQuery,
  readings: SessionReadings,
): Float32Array {
  const cosines = compared.of('episode').slice();
  if (isCalibrated(readings)) {
    passages.raise(cosines, queryVector);
    calibrate(cosines, vectors);
  }
  const power = {
    plain: 0,
    'by-length': 0.5,
    calibrated: VECTORS_READ[meaningOf(embedder)].power,
  }[readings.all[0]!.cosines];
  // Only a trained encoder has passages.
  const seenByPassage = isCalibrated(readings) && power === 0 ? passages.counts(length) : null;
  const averages = conversation.averageLengths(readings);
  const sessions = timeline.session.data;
  for (let turn = 0; turn < cosines.length; turn++) {
    const terms = conversation.lengths.data[turn]!;
    if (terms === NONE || !(cosines[turn]! > 0)) cosines[turn] = 0;
    else if (power > 0)
      cosines[turn]! *= ((terms + 1) / (averages[readings.of[sessions[turn]!]!]! + 1)) ** power;
    else if (seenByPassage?.[turn] === 0) cosines[turn]! *= shareSeen(terms, embedder);
  }
  return cosines;
}

function spread(index: EpisodeIndex, own: Float32Array, readings: SessionReadings): Float32Array {
  const { next, previous } = index.timeline;
  const flags = index.conversation.flags.data;
  const scores = own.slice();
  for (let turn = 0; turn < own.length; turn++) {
    const value = own[turn]!;
    if (value === 0) continue;
    const { forward, backward, nextQuestion } = readings.ofTurn(turn);
    let neighbour = next.data[turn]!;
    for (let step = 0; step < forward.length && neighbour !== NONE; step++) {
      const answers = step === 0 && (flags[turn]! & 1) === 1;
      scores[neighbour]! += forward[step]! * (answers ? nextQuestion : 1) * value;
      neighbour = next.data[neighbour]!;
    }
    neighbour = previous.data[turn]!;
    for (let step = 0; step < backward.length && neighbour !== NONE; step++) {
      scores[neighbour]! += backward[step]! * value;
      neighbour = previous.data[neighbour]!;
    }
  }
  return scores;
}

function addSessions(
  index: EpisodeIndex,
  own: Float32Array,
  { scores, readings }: { readonly scores: Float32Array; readonly readings: SessionReadings },
): void {
  const sessions = index.timeline.session.data;
  const best = new Float32Array(index.timeline.sessions.length * BEST_OF_SESSION);
  for (let turn = 0; turn < own.length; turn++) {
    let value = own[turn]!;
    const first = sessions[turn]! * BEST_OF_SESSION;
    for (let place = first; value > 0 && place < first + BEST_OF_SESSION; place++)
      if (value > best[place]!) [best[place], value] = [value, best[place]!];
  }
  for (let turn = 0; turn < scores.length; turn++) {
    if (!index.conversation.isLive(turn) || readings.ofTurn(turn).session === 0) continue;
    const first = sessions[turn]! * BEST_OF_SESSION;
    let sum = 0;
    for (let place = first; place < first + BEST_OF_SESSION; place++) sum += best[place]!;
    scores[turn]! += sum / BEST_OF_SESSION;
  }
}

/** Adds what the cosine of its topic segment says to each turn. */
function addTopics(
  index: ScopeIndex,
  { queryVector }: QueryOfTurns,
  { scores, readings }: { readonly scores: Float32Array; readonly readings: SessionReadings },
): void {
  const { vectors, length } = index.segments;
  const topics = calibrate(vectors.cosines(queryVector, length), vectors);
  const { of } = index.topicsOfTurns();
  for (let turn = 0; turn < scores.length; turn++)
    if (of[turn]! !== NONE && of[turn]! < length)
      scores[turn]! += readings.ofTurn(turn).topicVector * topics[of[turn]!]!;
}

function applyFactors(
  index: EpisodeIndex,
  question: Question,
  readings: SessionReadings,
  scores: Float32Array,
): void {
  const asksOthers = ASKS_OTHERS.test(question.text);
  const factors = readings.all.map((reading) => ({
    ofSpeaker: speakerFactors(index, question, reading),
    ofFlags: flagFactors(question, reading),
    ofRole: ROLES.map((role) => (role === 'user' && !asksOthers ? reading.user : 1)),
  }));
  const { speaker, role, session } = index.timeline;
  const flags = index.conversation.flags.data;
  for (let turn = 0; turn < scores.length; turn++) {
    if (!(scores[turn]! > 0)) continue;
    const { ofSpeaker, ofFlags, ofRole } = factors[readings.of[session.data[turn]!]!]!;
    scores[turn]! *= ofSpeaker[speaker.data[turn]!]! * ofFlags[flags[turn]!]! * ofRole[role.data[turn]!]!;
  }
}

/** "What did you suggest?", "Can you remind me …?" */
const ASKS_OTHERS =
  /\b(?:did|have|had|were|was|do) you\b|\byou (?:have |had |just |also )?(?:\w+ed|said|told|gave|wrote|made|found|taught|chose)\b|\byour (?:\w+ )?(?:advice|answer|suggestions?|recommendations?|plan|list|reply|response|explanation)\b|\bremind me\b|\b(?:our|the) (?:previous|last|earlier|past) (?:chat|conversation|discussion)\b/i;

/** Raises turns by the speakers that the question names, unless it names all. */
function speakerFactors(
  { timeline }: EpisodeIndex,
  question: Question,
  reading: ConversationReading,
): Float64Array {
  const factors = new Float64Array(timeline.speakers.length).fill(1);
  if (question.speakers.size < timeline.liveSpeakers().length)
    for (const speaker of question.speakers) factors[speaker] = reading.namedSpeaker;
  return factors;
}

/** By the flags of a turn (`ConversationIndex.flags`). */
function flagFactors(
  { asksWhen, asksForName }: Question,
  { asking, temporal, naming }: ConversationReading,
): readonly number[] {
  const factors = [asking, asksWhen ? temporal : 1, asksForName ? naming : 1];
  return Array.from({ length: 2 ** factors.length }, (_, flags) =>
    factors.reduce((product, factor, bit) => (flags & (1 << bit) ? product * factor : product), 1),
  );
}

function addScaled(scores: Float32Array, values: Float32Array, scale: number): void {
  for (let turn = 0; turn < scores.length; turn++) scores[turn]! += scale * values[turn]!;
}

/** Weight of words; static vectors add little to them (docs/results.md). */
const WORDS = 0.8;

/** A weighted sum of word and vector scores, each divided by the highest; from 0 to 1, 0 for a row without a match. */
export function mixScores(words: Float32Array, near: Float32Array): Float32Array {
  const [mostWords, mostNear] = [highestScore(words), highestScore(near)];
  const mixed = new Float32Array(words.length);
  for (let at = 0; at < mixed.length; at++) {
    const lexical = mostWords > 0 ? Math.max(0, words[at]!) / mostWords : 0;
    const vector = mostNear > 0 ? Math.max(0, near[at]!) / mostNear : 0;
    mixed[at] = WORDS * lexical + (1 - WORDS) * vector;
  }
  return mixed;
}

/** The highest score, at least 0. */
export function highestScore(scores: Float32Array): number {
  let most = 0;
  for (let at = 0; at < scores.length; at++) if (scores[at]! > most) most = scores[at]!;
  return most;
}
