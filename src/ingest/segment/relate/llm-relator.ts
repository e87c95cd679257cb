import { stageCalls } from '../../../inference/language-model/calling/stage-calls.ts';
import { DropLog, type Dropped } from '../../../inference/language-model/reading/drop-log.ts';
import type { ModelUsage } from '../../../inference/language-model/tokens/usage-meter.ts';
import type { LanguageModel, ModelCallOptions } from '../../../inference/language-model.ts';
import { inBatches } from '../../../util/collections.ts';
import { SEGMENTS_PER_CALL } from '../defaults.ts';
import { type RelateInput, type RelateReply, relateSegments } from './relate-segments-prompt.ts';
import type { SegmentRelation, SegmentRelator, SegmentToRelate } from './segment-relator.ts';

export interface SegmentWithCandidates {
  readonly segment: SegmentToRelate;
  /** Earlier segments, including those of the same batch. */
  readonly candidates: readonly SegmentToRelate[];
}

export interface RelatingResult {
  /** For each segment the result of `SegmentRelator.relate`. */
  readonly relations: readonly (readonly SegmentRelation[])[];
  readonly dropped: readonly Dropped[];
  readonly usage: ModelUsage;
}

/** Asks a model how new segments relate to candidates (GAM §3.3). */
export class LlmRelator implements SegmentRelator {
  readonly #model: LanguageModel;
  readonly #calls: ModelCallOptions;

  constructor(model: LanguageModel, calls: ModelCallOptions = {}) {
    this.#model = model;
    this.#calls = calls;
  }

  /** @throws what `LanguageModel.structured` throws; the segment gets no new relations then. */
  async relate(
    segment: SegmentToRelate,
    candidates: readonly SegmentToRelate[],
    calls: ModelCallOptions = {},
  ): Promise<readonly SegmentRelation[]> {
    return (await this.relateAll([{ segment, candidates }], calls)).relations[0]!;
  }

  /** Segments without candidates cost no call. */
  async relateAll(
    segments: readonly SegmentWithCandidates[],
    given: ModelCallOptions = {},
  ): Promise<RelatingResult> {
    const calls = stageCalls(this.#calls, given);
    const log = new DropLog();
    const related = new Map<SegmentWithCandidates, SegmentRelation[]>();
    const open = segments.filter(({ candidates }) => candidates.length > 0);
    for (const batch of inBatches(open, SEGMENTS_PER_CALL)) {
      const sheet = new TopicSheet(batch);
      const { value } = await this.#model.structured(relateSegments, sheet.input, calls);
      const said = saidOf(value, sheet, log);
      for (const each of batch) related.set(each, relationsOf(each, sheet, said));
    }
    const relations = segments.map((each) => related.get(each) ?? []);
    return { relations, dropped: calls.meter.recordDropped(log.list()), usage: calls.meter.total };
  }
}

/** The segments of a batch and their candidates, numbered, each once. */
class TopicSheet {
  readonly input: RelateInput;
  readonly #numbers = new Map<string, number>();

  constructor(batch: readonly SegmentWithCandidates[]) {
    const topics: SegmentToRelate[] = [];
    for (const topic of [
      ...batch.flatMap(({ candidates }) => candidates),
      ...batch.map(({ segment }) => segment),
    ]) {
      if (this.#numbers.has(topic.id)) continue;
      topics.push(topic);
      this.#numbers.set(topic.id, topics.length);
    }
    const pairs = batch.map(({ segment, candidates }) => ({
      topic: this.numberOf(segment),
      earlier: [...new Set(candidates.map((candidate) => this.numberOf(candidate)))],
    }));
    this.input = { topics, pairs };
  }

  numberOf({ id }: Pick<SegmentToRelate, 'id'>): number {
    return this.#numbers.get(id)!;
  }

  asksFor(topic: number, earlier: number): boolean {
    return this.input.pairs.some((pair) => pair.topic === topic && pair.earlier.includes(earlier));
  }
}

type Said = NonNullable<RelateReply['relations'][number]>;

/** The first decision on each pair. */
function saidOf(reply: RelateReply, sheet: TopicSheet, log: DropLog): ReadonlyMap<string, Said> {
  const said = new Map<string, Said>();
  for (const each of log.wellFormed(reply.relations)) {
    const key = `${each.topic} ${each.earlier}`;
    if (!sheet.asksFor(each.topic, each.earlier)) log.note('decision', 'unknown-number');
    else if (said.has(key)) log.note('decision', 'repeated');
    else said.set(key, each);
  }
  return said;
}

/** A pair without a decision is unrelated. */
function relationsOf(
  { segment, candidates }: SegmentWithCandidates,
  sheet: TopicSheet,
  said: ReadonlyMap<string, Said>,
): SegmentRelation[] {
  return candidates.map((candidate) => {
    const earlier = sheet.numberOf(candidate);
    const { relation, from, confidence } = said.get(`${sheet.numberOf(segment)} ${earlier}`) ?? NOTHING_SAID;
    const leadsBack = from === earlier && DIRECTED.has(relation);
    const ends = leadsBack ? { from: candidate.id, to: segment.id } : { from: segment.id, to: candidate.id };
    return { ...ends, relation, confidence: Math.min(1, Math.max(0, confidence)) };
  });
}

const NOTHING_SAID = { relation: 'unrelated', from: 0, confidence: 0 } as const;
const DIRECTED: ReadonlySet<string> = new Set(['support', 'contradict', 'causal']);
