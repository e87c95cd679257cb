import type { Partition } from '../profile.ts';
import { estimateTokens } from './estimate-tokens.ts';
import { type PlanOptions, planUnits, type Unit, type UnitPlan } from './plan-units.ts';
import type { Segmenter, TurnToSegment } from './segmenter.ts';

export interface PartitionOptions extends Omit<PlanOptions, 'segmenter'> {
  readonly partition: Partition;
  /** Of a partition by topic. */
  readonly segmenter: Segmenter | null;
}

/**
 * What a session's turns give to consolidation under a profile's partition: topics by `planUnits`; else a session
 * whole at its end, or so many turns or tokens each, what is left when it ends. A turn that has more tokens than a
 * unit may hold is one of its own.
 */
export async function planPartition<Turn extends TurnToSegment>(
  turns: readonly Turn[],
  { partition, segmenter, ...options }: PartitionOptions,
): Promise<UnitPlan<Turn>> {
  if (partition.by === 'topic') return planUnits(turns, { ...options, segmenter: segmenter! });
  const full = partition.by === 'session' ? [] : fullUnits(turns, partition);
  const tail = turns.slice(full.reduce((sum, unit) => sum + unit.turns.length, 0));
  if (!options.ended || tail.length === 0) return { units: full, tail, isUnfinished: false };
  return { units: [...full, { turns: tail, trigger: 'end' }], tail: [], isUnfinished: false };
}

function fullUnits<Turn extends TurnToSegment>(
  turns: readonly Turn[],
  partition: Exclude<Partition, { by: 'topic' | 'session' }>,
): Unit<Turn>[] {
  const units: Unit<Turn>[] = [];
  let [held, tokens]: [Turn[], number] = [[], 0];
  const complete = () => {
    if (held.length > 0) units.push({ turns: held, trigger: 'overflow' });
    [held, tokens] = [[], 0];
  };
  for (const turn of turns) {
    const size = estimateTokens(turn);
    if (partition.by === 'tokens' && tokens + size > partition.tokens) complete();
    held.push(turn);
    tokens += size;
    if (partition.by === 'turns' && held.length === partition.turns) complete();
  }
  return units;
}
