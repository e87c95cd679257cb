import type { ModelUsage } from '../../inference/language-model/tokens/usage-meter.ts';
import type { LanguageModel, ModelCallOptions } from '../../inference/language-model.ts';
import { relateSegments } from '../../prompts/relate-segments.ts';
import { MOST_CANDIDATES } from '../relate/nearest-segments.ts';
import type { SegmentRelation, SegmentRelator, SegmentToRelate } from '../relate/segment-relator.ts';
import { DropLog, type Dropped } from './drop-log.ts';
import { inBatches } from './in-batches.ts';
import { stageCalls } from './stage-calls.ts';

export interface RelatingResult {
  /** As `SegmentRelator.relate` gives them. */
  readonly relations: readonly SegmentRelation[];
  readonly dropped: readonly Dropped[];
  readonly usage: ModelUsage;
}

interface RelationSaid {
  readonly candidate: number;
  readonly relation: SegmentRelation['relation'];
  readonly from: 'new' | 'old';
  readonly confidence: number;
}

/** Asks a model how a new segment relates to candidates, five a call (GAM §3.3). */
export class LlmRelator implements SegmentRelator {
  readonly #model: LanguageModel;
  readonly #calls: ModelCallOptions;

  constructor(model: LanguageModel, calls: ModelCallOptions = {}) {
    this.#model = model;
    this.#calls = calls;
  }

  /** @throws what `LanguageModel.structured` throws; the segment has no new relations then. */
  async relate(
    segment: SegmentToRelate,
    candidates: readonly SegmentToRelate[],
    calls: ModelCallOptions = {},
  ): Promise<readonly SegmentRelation[]> {
    return (await this.relateAll(segment, candidates, calls)).relations;
  }

  async relateAll(
    segment: SegmentToRelate,
    candidates: readonly SegmentToRelate[],
    given: ModelCallOptions = {},
  ): Promise<RelatingResult> {
    const calls = stageCalls(this.#calls, given);
    const log = new DropLog();
    const relations: SegmentRelation[] = [];
    for (const batch of inBatches(candidates, MOST_CANDIDATES)) {
      const { value } = await this.#model.structured(relateSegments, { segment, candidates: batch }, calls);
      relations.push(...mapRelations(log.wellFormed(value.relations), { segment, candidates: batch, log }));
    }
    return { relations, dropped: log.list(), usage: calls.meter.total };
  }
}

interface Asked {
  readonly segment: SegmentToRelate;
  readonly candidates: readonly SegmentToRelate[];
  readonly log: DropLog;
}

/** The first that is said of a candidate counts; of one that nothing is said of, that it is unrelated. */
function mapRelations(said: readonly RelationSaid[], { segment, candidates, log }: Asked): SegmentRelation[] {
  const byCandidate = new Map<number, RelationSaid>();
  for (const each of said) {
    if (candidates[each.candidate - 1] === undefined) log.note('decision', 'unknown-number');
    else if (byCandidate.has(each.candidate)) log.note('decision', 'repeated');
    else byCandidate.set(each.candidate, each);
  }
  return candidates.map(({ id }, at) => {
    const { relation, from, confidence } = byCandidate.get(at + 1) ?? NOTHING_SAID;
    const leadsBack = from === 'old' && DIRECTED.has(relation);
    const ends = leadsBack ? { from: id, to: segment.id } : { from: segment.id, to: id };
    return { ...ends, relation, confidence: Math.min(1, Math.max(0, confidence)) };
  });
}

const NOTHING_SAID = { relation: 'unrelated', from: 'new', confidence: 0 } as const;
const DIRECTED: ReadonlySet<string> = new Set(['support', 'contradict', 'causal']);
