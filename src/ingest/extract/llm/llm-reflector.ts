import { stageCalls } from '../../../inference/language-model/calling/stage-calls.ts';
import { DropLog, type Dropped } from '../../../inference/language-model/reading/drop-log.ts';
import type { ModelUsage } from '../../../inference/language-model/tokens/usage-meter.ts';
import type { LanguageModel, ModelCallOptions } from '../../../inference/language-model.ts';
import type { TurnToRead } from '../extractor.ts';
import type { DatedFact, DescribedEntity, SegmentReading } from '../segment-reader.ts';
import { groupByTokens, isTooLong } from './llm-reader.ts';
import { distinctFacts, mapFacts } from './map-reading.ts';
import type { ReadEntity } from './reading-rules-prompt.ts';
import { type ReflectInput, type ReflectReply, reflectOnSegment } from './reflect-on-segment-prompt.ts';
import { ReplyEntities } from './reply-entities.ts';
import { type SegmentReply, splitReply } from './split-reply.ts';
import { Talk, toPromptTurn } from './talk.ts';

export interface SegmentToCheck {
  /** The turns that the reading is of. */
  readonly turns: readonly TurnToRead[];
  readonly reading: SegmentReading;
}

export interface CheckedSegment {
  /** The reading without what its turns do not support, and with what it had missed. */
  readonly reading: SegmentReading;
  /** One per turn: a fact that cites it passed the check, and none was rejected (GAM §3.3). */
  readonly verified: readonly boolean[];
}

export interface ReflectingResult {
  /** One per segment, in order. */
  readonly reflections: readonly CheckedSegment[];
  /** Dropped items of all segments. */
  readonly dropped: readonly Dropped[];
  readonly usage: ModelUsage;
}

export type Reflection = CheckedSegment & Omit<ReflectingResult, 'reflections'>;

/** Asks a model to check the reading of a segment and to find what it missed (Mnemis §2.1). */
export class LlmReflector {
  readonly #model: LanguageModel;
  readonly #calls: ModelCallOptions;

  constructor(model: LanguageModel, calls: ModelCallOptions = {}) {
    this.#model = model;
    this.#calls = calls;
  }

  /**
   * @param turns The turns that the reading is of.
   * @throws what `LanguageModel.structured` throws; the reading is unchanged then.
   */
  async reflect(
    turns: readonly TurnToRead[],
    reading: SegmentReading,
    given: ModelCallOptions = {},
  ): Promise<Reflection> {
    const { reflections, ...rest } = await this.reflectAll([{ turns, reading }], given);
    return { ...reflections[0]!, ...rest };
  }

  /**
   * Checks the segments of a session in as few calls as their lengths allow. Empty ones cost no call.
   *
   * @throws what `LanguageModel.structured` throws; the readings are unchanged then.
   */
  async reflectAll(
    segments: readonly SegmentToCheck[],
    given: ModelCallOptions = {},
  ): Promise<ReflectingResult> {
    const calls = stageCalls(this.#calls, given);
    const log = new DropLog();
    const checked = new Map<SegmentToCheck, CheckedSegment>();
    const filled = segments.filter(({ turns }) => turns.length > 0);
    for (const group of groupByTokens(filled, ({ turns }) => turns)) {
      const reflections = await this.#ask(group, calls, log);
      for (const [at, segment] of group.entries()) checked.set(segment, reflections[at]!);
    }
    const reflections = segments.map(
      (segment) => checked.get(segment) ?? { reading: segment.reading, verified: [] },
    );
    return { reflections, dropped: calls.meter.recordDropped(log.list()), usage: calls.meter.total };
  }

  async #ask(
    group: readonly SegmentToCheck[],
    calls: ModelCallOptions,
    log: DropLog,
  ): Promise<CheckedSegment[]> {
    try {
      const { value, truncated } = await this.#model.structured(reflectOnSegment, toInput(group), calls);
      if (!truncated || group.length === 1)
        return splitReflection(value, group, log).map((reply, at) => mapReflection(reply, group[at]!, log));
    } catch (error) {
      if (group.length === 1 || !isTooLong(error)) throw error;
    }
    const middle = Math.ceil(group.length / 2);
    const first = await this.#ask(group.slice(0, middle), calls, log);
    return [...first, ...(await this.#ask(group.slice(middle), calls, log))];
  }
}

function toInput(group: readonly SegmentToCheck[]): ReflectInput {
  const extractions = group.map(({ reading }) => reading.extraction);
  let before = 0;
  return {
    turns: group.flatMap(({ turns }) => turns.map(toPromptTurn)),
    entities: [...new Set(extractions.flatMap(({ entities }) => entities.map(({ name }) => name)))],
    facts: group.flatMap(({ turns, reading }) => {
      const [first, { facts }] = [before + 1, reading.extraction];
      before += turns.length;
      return facts.map((fact) => ({
        statement: fact.statement,
        turns: fact.turns.map((turn) => turn + first),
      }));
    }),
  };
}

type ReplyPart = Pick<SegmentReply, 'entities' | 'facts'> & { readonly unsupported: readonly number[] };

/** Splits the reply by segment and converts its numbers to those of the segment's own turns and facts. */
function splitReflection(reply: ReflectReply, group: readonly SegmentToCheck[], log: DropLog): ReplyPart[] {
  const found = { segments: [], keep: [], entities: reply.entities, facts: reply.facts };
  const sizes = group.map(({ turns }) => turns.length);
  const all = group.reduce((sum, { reading }) => sum + reading.extraction.facts.length, 0);
  const known = reply.unsupported.filter(
    (number) => Number.isInteger(number) && number >= 1 && number <= all,
  );
  log.note('citation', 'unknown-number', reply.unsupported.length - known.length);
  let before = 0;
  return splitReply(found, sizes, log).map(({ entities, facts }, at) => {
    const [start, count] = [before, group[at]!.reading.extraction.facts.length];
    before += count;
    const own = known.filter((number) => number > start && number <= start + count);
    return { entities, facts, unsupported: own.map((number) => number - start) };
  });
}

function mapReflection(reply: ReplyPart, { turns, reading }: SegmentToCheck, log: DropLog): CheckedSegment {
  const { entities, facts } = reading.extraction;
  const names = entities.map(({ name }) => name).join('\n');
  const talk = new Talk(turns, { earlier: [], later: [], names });
  const rejected = new Set(reply.unsupported.map((number) => facts[number - 1]!));
  log.note('fact', 'unsupported', rejected.size);
  const passed = facts.filter((fact) => !rejected.has(fact));
  const named = new ReplyEntities(talk, log);
  named.addAll([...entities.map(asRead), ...reply.entities]);
  named.addSpeakers();
  const found = mapFacts(reply.facts, { talk, entities: named, log });
  const extraction = { facts: distinctFacts([...passed, ...found], log), entities: named.toArray() };
  const judgements = turns.map((_, at) => (found.some(cites(at)) ? 'kept' : reading.judgements[at]!));
  return {
    reading: { ...reading, extraction, judgements },
    verified: turns.map((_, at) => passed.some(cites(at)) && ![...rejected].some(cites(at))),
  };
}

function asRead(entity: DescribedEntity): ReadEntity {
  return {
    ...entity,
    aliases: [...entity.aliases],
    tags: [...entity.tags],
    turns: entity.turns.map((turn) => turn + 1),
  };
}

function cites(turn: number): (fact: DatedFact) => boolean {
  return ({ turns }) => turns.includes(turn);
}
