import type { ModelUsage } from '../../inference/language-model/tokens/usage-meter.ts';
import type { LanguageModel, ModelCallOptions } from '../../inference/language-model.ts';
import type { ReadEntity } from '../../prompts/reading-rules.ts';
import { type ReflectInput, type ReflectReply, reflectOnSegment } from '../../prompts/reflect-on-segment.ts';
import type { TurnToRead } from '../extractor.ts';
import type { DatedFact, DescribedEntity, SegmentReading } from '../segment-reading.ts';
import { DropLog, type Dropped } from './drop-log.ts';
import { EntityRoll } from './entity-roll.ts';
import { distinctFacts, mapFacts } from './map-facts.ts';
import { stageCalls } from './stage-calls.ts';
import { Talk, toPromptTurn } from './talk.ts';

export interface Reflection {
  /** The reading without what the turns do not bear out, and with what it had missed. */
  readonly reading: SegmentReading;
  /** One per turn: a fact that cites it passed the check, and none was rejected (GAM §3.3). */
  readonly verified: readonly boolean[];
  readonly dropped: readonly Dropped[];
  readonly usage: ModelUsage;
}

/** Has a model check what was read from a segment, and find what was missed (Mnemis §2.1). */
export class LlmReflector {
  readonly #model: LanguageModel;
  readonly #calls: ModelCallOptions;

  constructor(model: LanguageModel, calls: ModelCallOptions = {}) {
    this.#model = model;
    this.#calls = calls;
  }

  /**
   * @param turns The very turns that were read.
   * @throws what `LanguageModel.structured` throws; the reading is as it was then.
   */
  async reflect(
    turns: readonly TurnToRead[],
    reading: SegmentReading,
    given: ModelCallOptions = {},
  ): Promise<Reflection> {
    const calls = stageCalls(this.#calls, given);
    if (turns.length === 0) return { reading, verified: [], dropped: [], usage: calls.meter.total };
    const { value } = await this.#model.structured(reflectOnSegment, toInput(turns, reading), calls);
    return { ...mapReflection(value, new Talk(turns), reading), usage: calls.meter.total };
  }
}

function toInput(
  turns: readonly TurnToRead[],
  { extraction: { entities, facts } }: SegmentReading,
): ReflectInput {
  return {
    turns: turns.map(toPromptTurn),
    entities: entities.map(({ name }) => name),
    facts: facts.map((fact) => ({ statement: fact.statement, turns: fact.turns.map((turn) => turn + 1) })),
  };
}

function mapReflection(reply: ReflectReply, talk: Talk, reading: SegmentReading): Omit<Reflection, 'usage'> {
  const log = new DropLog();
  const { entities, facts } = reading.extraction;
  const rejected = rejectedOf(reply.unsupported, facts, log);
  const passed = facts.filter((fact) => !rejected.has(fact));
  const roll = new EntityRoll(talk, log);
  roll.addAll([...entities.map(asRead), ...log.wellFormed(reply.entities)]);
  roll.addSpeakers();
  const found = mapFacts(log.wellFormed(reply.facts), { talk, entities: roll, log });
  const extraction = { facts: distinctFacts([...passed, ...found], log), entities: roll.toArray() };
  const judgements = talk.turns.map((_, at) => (found.some(cites(at)) ? 'kept' : reading.judgements[at]!));
  return {
    reading: { ...reading, extraction, judgements },
    dropped: log.list(),
    verified: talk.turns.map((_, at) => passed.some(cites(at)) && ![...rejected].some(cites(at))),
  };
}

function rejectedOf(
  numbers: readonly number[],
  facts: readonly DatedFact[],
  log: DropLog,
): ReadonlySet<DatedFact> {
  const rejected = numbers.map((number) => facts[number - 1]);
  log.note('citation', 'unknown-number', rejected.filter((fact) => fact === undefined).length);
  const distinct = new Set(rejected.filter((fact) => fact !== undefined));
  log.note('fact', 'unsupported', distinct.size);
  return distinct;
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
