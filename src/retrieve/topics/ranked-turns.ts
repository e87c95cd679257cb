import type { RouteInput } from '../route.ts';
import type { Archive } from './archive.ts';
import { readAskedTime } from './asked-time.ts';
import type { MemoryUnit } from './candidates.ts';
import { indicatorsOf, modulation, type Signals } from './factors.ts';
import type { Likeness } from './likeness.ts';
import { type ReadUnit, readUnits } from './semantic-probability.ts';
import type { TopicsRoute } from './settings.ts';

export interface RankedTurn {
  readonly turn: number;
  readonly score: number;
}

export interface RankedTurns {
  /** Best first; the turns of one topic in the order of the conversation. */
  readonly turns: readonly RankedTurn[];
  readonly pairs: number;
  readonly notes: readonly string[];
}

interface RankRequest {
  readonly input: RouteInput;
  readonly route: TopicsRoute;
  readonly archive: Archive;
  readonly likeness: Likeness;
}

/**
 * Multi-factor reranking (GAM equation 11): P_sem(v|q) times the factors whose indicators are 1; an order, not a
 * probability. Ties go to the earlier turn.
 */
export async function rankTurns(units: readonly MemoryUnit[], request: RankRequest): Promise<RankedTurns> {
  const { input, route, likeness } = request;
  if (route.rerank === 'cosine') {
    const near = likeness.near();
    const scored = units.map((unit) => ({ unit, score: near[unit.ordinal]! }));
    return { turns: inOrder(scored, request.archive), pairs: 0, notes: [] };
  }
  const { units: read, pairs, notes } = await readUnits(units, likeness, { input, route });
  const { index } = input.context;
  const time = readAskedTime(input.question, presentOf(input));
  const scored = read.map((each) => score(each, { index, question: input.question, time }, route));
  return { turns: inOrder(scored, request.archive), pairs, notes };
}

interface ScoredUnit {
  readonly unit: MemoryUnit;
  readonly score: number;
}

function score({ unit, probability }: ReadUnit, signals: Signals, { factors }: TopicsRoute): ScoredUnit {
  return { unit, score: probability * modulation(indicatorsOf(unit, signals), factors) };
}

function inOrder(units: readonly ScoredUnit[], archive: Archive): RankedTurn[] {
  const first = ({ turns }: MemoryUnit) => turns[0]!;
  return units
    .toSorted((a, b) => b.score - a.score || archive.inOrder(first(a.unit), first(b.unit)))
    .flatMap(({ unit: { turns }, score }) => turns.map((turn) => ({ turn, score })));
}

/** The time that a question is asked at, or about; where nobody says, that of the last turn. */
function presentOf({ view: { saidBy, now }, context }: RouteInput): number {
  const present = saidBy ?? now;
  if (Number.isFinite(present)) return present;
  return context.index.episodes.timeline.validAt.values().reduce((last, at) => Math.max(last, at), 0);
}
