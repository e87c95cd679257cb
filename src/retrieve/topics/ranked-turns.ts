import { CancelledError, MnemisError } from '../../errors/index.ts';
import type { Reranker } from '../../inference/reranker.ts';
import type { ScopeIndex } from '../../search/scope-index.ts';
import type { Timeline } from '../../search/timeline.ts';
import { type AskedTime, isAskedFor } from '../asked-time.ts';
import type { Question } from '../question.ts';
import type { RouteInput } from '../route.ts';
import { type Likeness, textsOfTopics, textsOfTurns } from './archive.ts';
import type { MemoryUnit } from './candidates.ts';
import type { TopicFactors, TopicsRoute } from './defaults.ts';

export interface RankedTurn {
  readonly turn: number;
  readonly score: number;
}

interface RankedTurns {
  /** Best first; the turns of one topic in the order of the conversation. */
  readonly turns: readonly RankedTurn[];
  readonly pairs: number;
  readonly notes: readonly string[];
}

interface RankRequest {
  readonly input: RouteInput;
  readonly route: TopicsRoute;
  readonly likeness: Likeness;
}

/**
 * Multi-factor reranking (GAM equation 11): P_sem(v|q) times the factors whose indicators are 1. The scores order
 * turns; they are not probabilities. Ties go to the earlier turn.
 */
export async function rankTurns(units: readonly MemoryUnit[], request: RankRequest): Promise<RankedTurns> {
  const { input, route, likeness } = request;
  const { index } = input.context;
  if (route.rerank === 'cosine') {
    const near = likeness.near();
    const scored = units.map((unit) => ({ unit, score: near[unit.ordinal]! }));
    return { turns: inOrder(scored, index.episodes.timeline), pairs: 0, notes: [] };
  }
  const { units: read, pairs, notes } = await readUnits(units, likeness, { input, route });
  const scored = read.map((each) => score(each, { index, question: input.question }, route));
  return { turns: inOrder(scored, index.episodes.timeline), pairs, notes };
}

interface ScoredUnit {
  readonly unit: MemoryUnit;
  readonly score: number;
}

function score({ unit, probability }: ReadUnit, signals: Signals, { factors }: TopicsRoute): ScoredUnit {
  return { unit, score: probability * modulation(indicatorsOf(unit, signals), factors) };
}

function inOrder(units: readonly ScoredUnit[], timeline: Timeline): RankedTurn[] {
  const first = ({ turns }: MemoryUnit) => turns[0]!;
  return units
    .toSorted((a, b) => b.score - a.score || timeline.compare(first(a.unit), first(b.unit)))
    .flatMap(({ unit: { turns }, score }) => turns.map((turn) => ({ turn, score })));
}

/** Bit 1 of a turn's flags: it mentions a time. */
const MENTIONS_TIME = 2;

/** The three signals of equation 11 (GAM §3.4, docs/papers.md §3.7). */
interface Indicators {
  /** The question is about a time, and the turn mentions one or was said in it. */
  readonly time: boolean;
  /** The question names its speaker. */
  readonly role: boolean;
  /** The self-check at ingestion confirmed it. */
  readonly confidence: boolean;
}

interface Signals {
  readonly index: ScopeIndex;
  readonly question: Pick<Question, 'speakers'> & { readonly time: AskedTime };
}

/** Indicators of a topic: those that hold for any of its turns. */
function indicatorsOf({ turns }: MemoryUnit, { index, question }: Signals): Indicators {
  const { conversation, timeline } = index.episodes;
  const isTimely = (turn: number) =>
    (conversation.flags.at(turn) & MENTIONS_TIME) !== 0 ||
    isAskedFor(timeline.validAt.at(turn), question.time);
  return {
    time: question.time.isAsked && turns.some(isTimely),
    role: turns.some((turn) => question.speakers.has(timeline.speaker.at(turn))),
    confidence: turns.some((turn) => index.marks.isVerified(turn)),
  };
}

/** The factor of P_sem: the product of the factors whose indicator is 1. */
function modulation(indicators: Indicators, factors: TopicFactors): number {
  const { time, role, confidence } = indicators;
  return (time ? factors.time : 1) * (role ? factors.role : 1) * (confidence ? factors.confidence : 1);
}

/** A candidate with P_sem of equation 11, from 0 to 1. */
interface ReadUnit {
  readonly unit: MemoryUnit;
  readonly probability: number;
}

interface Reading {
  readonly units: readonly ReadUnit[];
  /** Number of units that a reranker read. */
  readonly pairs: number;
  readonly notes: readonly string[];
}

/**
 * Replaces a reranker: the probability that a turn of a given likeness is evidence, from a logistic fit over the
 * hundred most likely turns of questions of LoCoMo's development split (-9.02, 8.91): 0.5 at likeness 1, 0.01 at
 * likeness 0.5.
 */
const [INTERCEPT, SLOPE] = [-9, 9];

/**
 * P_sem(v|q) of each candidate (GAM §3.4): the reranker's probability for the nearest `pairs` of them, dropping the
 * others. Without a reranker, or if it fails, a probability derived from likeness. @throws CancelledError
 */
async function readUnits(
  units: readonly MemoryUnit[],
  likeness: Likeness,
  { input, route }: { readonly input: RouteInput; readonly route: TopicsRoute },
): Promise<Reading> {
  const { reranker } = input.context;
  if (reranker === undefined)
    return readByLikeness(units, likeness, ['no reranker: likeness is used instead']);
  const nearest = nearestUnits(units, likeness, route.pairs);
  try {
    const probabilities = await probabilitiesOf(nearest, reranker, { input, route });
    const read = nearest.map((unit, at) => ({ unit, probability: probabilities[at]! }));
    return { units: read, pairs: read.length, notes: [] };
  } catch (error) {
    if (CancelledError.isInstance(error)) throw error;
    const code = MnemisError.isInstance(error) ? error.code : 'unexpected';
    return readByLikeness(units, likeness, [`the reranker failed (${code}): likeness is used instead`]);
  }
}

/** Increases with likeness, from 0 to 1; never 0, so that factors still order rows. */
function probabilityOf(likeness: number): number {
  return 1 / (1 + Math.exp(-(INTERCEPT + SLOPE * likeness)));
}

function readByLikeness(units: readonly MemoryUnit[], likeness: Likeness, notes: readonly string[]): Reading {
  const mixed = likeness.mixed();
  const read = units.map((unit) => ({ unit, probability: probabilityOf(mixed[unit.ordinal]!) }));
  return { units: read, pairs: 0, notes };
}

function nearestUnits(units: readonly MemoryUnit[], likeness: Likeness, most: number): readonly MemoryUnit[] {
  if (units.length <= most) return units;
  const near = likeness.near();
  return units
    .toSorted((a, b) => near[b.ordinal]! - near[a.ordinal]! || a.ordinal - b.ordinal)
    .slice(0, most);
}

async function probabilitiesOf(
  units: readonly MemoryUnit[],
  reranker: Reranker,
  { input, route }: { readonly input: RouteInput; readonly route: TopicsRoute },
): Promise<readonly number[]> {
  const ordinals = units.map(({ ordinal }) => ordinal);
  const texts = await (route.candidates === 'turns' ? textsOfTurns : textsOfTopics)(input.context, ordinals);
  input.limit.check();
  return reranker.rerank(input.question.text, texts, { signal: input.calls.signal });
}
