import { CancelledError, MnemisError } from '../../errors/index.ts';
import type { Reranker } from '../../inference/reranker.ts';
import type { RouteInput } from '../route.ts';
import type { MemoryUnit } from './candidates.ts';
import type { Likeness } from './likeness.ts';
import type { TopicsRoute } from './settings.ts';
import { textsOfTopics, textsOfTurns } from './texts.ts';

/** A candidate with P_sem of equation 11, from 0 to 1. */
export interface ReadUnit {
  readonly unit: MemoryUnit;
  readonly probability: number;
}

export interface Reading {
  readonly units: readonly ReadUnit[];
  /** How many of them a reranker read. */
  readonly pairs: number;
  readonly notes: readonly string[];
}

/**
 * The stand-in for a reranker: how often a turn of such a likeness is evidence for a question, by a logistic fit over
 * the hundred likeliest turns of questions of LoCoMo's development split (-9.02, 8.91): half of the time where words
 * and vectors both speak for it most, once in a hundred times at half of that.
 */
const [INTERCEPT, SLOPE] = [-9, 9];

/**
 * P_sem(v|q) of each candidate (GAM §3.4): the reranker's probability for the nearest `pairs` of them, others left out;
 * without a reranker, or when it fails, what their likeness makes probable. @throws CancelledError
 */
export async function readUnits(
  units: readonly MemoryUnit[],
  likeness: Likeness,
  { input, route }: { readonly input: RouteInput; readonly route: TopicsRoute },
): Promise<Reading> {
  const { reranker } = input.context;
  if (reranker === undefined) return standIn(units, likeness, ['no reranker: likeness stands in for it']);
  const nearest = nearestUnits(units, likeness, route.pairs);
  try {
    const probabilities = await probabilitiesOf(nearest, reranker, { input, route });
    const read = nearest.map((unit, at) => ({ unit, probability: probabilities[at]! }));
    return { units: read, pairs: read.length, notes: [] };
  } catch (error) {
    if (CancelledError.isInstance(error)) throw error;
    const code = MnemisError.isInstance(error) ? error.code : 'unexpected';
    return standIn(units, likeness, [`the reranker failed (${code}): likeness stands in for it`]);
  }
}

/** Grows with the likeness, from 0 to 1; never 0, so that a factor can still tell two apart. */
export function probabilityOf(likeness: number): number {
  return 1 / (1 + Math.exp(-(INTERCEPT + SLOPE * likeness)));
}

function standIn(units: readonly MemoryUnit[], likeness: Likeness, notes: readonly string[]): Reading {
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
