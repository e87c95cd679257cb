import { stageCalls } from '../../inference/language-model/calling/stage-calls.ts';
import { DropLog, type Dropped } from '../../inference/language-model/reading/drop-log.ts';
import type { ModelUsage } from '../../inference/language-model/tokens/usage-meter.ts';
import type { LanguageModel, ModelCallOptions } from '../../inference/language-model.ts';
import { inBatches } from '../../util/collections.ts';
import { entityNameKey, tidy } from '../../util/tidy.ts';
import {
  ENTITIES_PER_CALL,
  LEAST_LIKELY_COSINE,
  LEAST_MERGE_CONFIDENCE,
  MOST_CANDIDATES,
} from './defaults.ts';
import { areAlike, isSameName, type NameForm, NameReader } from './name-form.ts';
import type {
  CandidateJudgement,
  EntityToResolve,
  RememberedEntity,
  Resolution,
  ResolutionJudge,
} from './resolution-judge.ts';
import { type NamedEntity, resolveEntities, type Verdict } from './resolve-entities-prompt.ts';

export interface ResolvingResult {
  /** One per entity, in order. */
  readonly resolutions: readonly Resolution[];
  readonly dropped: readonly Dropped[];
  readonly usage: ModelUsage;
}
const LONGEST_REASON = 200;

/** Asks a model which entities of new turns memory knows already (Mnemis §2.1). In doubt, nothing is merged. */
export class LlmResolver implements ResolutionJudge {
  readonly #model: LanguageModel;
  readonly #calls: ModelCallOptions;

  constructor(model: LanguageModel, calls: ModelCallOptions = {}) {
    this.#model = model;
    this.#calls = calls;
  }

  async judge(
    entities: readonly EntityToResolve[],
    calls: ModelCallOptions = {},
  ): Promise<readonly Resolution[]> {
    return (await this.resolve(entities, calls)).resolutions;
  }

  /**
   * Entities without likely candidates are new and cost no call.
   *
   * @throws what `LanguageModel.structured` throws; nothing is merged then.
   */
  async resolve(
    entities: readonly EntityToResolve[],
    given: ModelCallOptions = {},
  ): Promise<ResolvingResult> {
    const calls = stageCalls(this.#calls, given);
    const log = new DropLog();
    const resolved = new Map<EntityToResolve, Resolution>();
    const names = new NameReader();
    const asked = entities.map((entity) => ({ entity, shown: likely(entity, names) }));
    const open = asked.filter(({ shown }) => shown.candidates.length > 0);
    for (const some of inBatches(open, ENTITIES_PER_CALL)) {
      const [batch, shown] = [some.map((each) => each.entity), some.map((each) => each.shown)];
      const { value } = await this.#model.structured(resolveEntities, { entities: shown.map(toShow) }, calls);
      const said = mapDecisions(log.wellFormed(value.matches), shown, log);
      for (const [at, entity] of batch.entries()) resolved.set(entity, decide(shown[at]!, said[at]!, log));
    }
    const resolutions = entities.map((entity) => resolved.get(entity) ?? NEW);
    return { resolutions, dropped: calls.meter.recordDropped(log.list()), usage: calls.meter.total };
  }
}

/**
 * The candidates that a model is asked about, best first: those with a name like one of the entity's, or with nearly
 * the same name vector. A word in common is not enough.
 */
function likely(entity: EntityToResolve, names: NameReader): EntityToResolve {
  const own = names.formsOf(entity);
  const isEqual = (candidate: RememberedEntity) => areAny(own, names.formsOf(candidate), isSameName);
  const isLikely = (candidate: RememberedEntity) =>
    (candidate.nameCosine ?? 0) >= LEAST_LIKELY_COSINE || areAny(own, names.formsOf(candidate), areAlike);
  const candidates = entity.candidates
    .filter(isLikely)
    .sort((a, b) => Number(isEqual(b)) - Number(isEqual(a)));
  return { ...entity, candidates: candidates.slice(0, MOST_CANDIDATES) };
}

function areAny(a: readonly NameForm[], b: readonly NameForm[], is: (a: NameForm, b: NameForm) => boolean) {
  return a.some((one) => b.some((two) => is(one, two)));
}

/** The fields that the prompt shows: names, kinds and descriptions. */
function toShow({ candidates, ...entity }: EntityToResolve) {
  return { ...named(entity), candidates: candidates.map(named) };
}

function named({ name, aliases, kind, context }: NamedEntity): NamedEntity {
  return { name, aliases, kind, context };
}

const NEW: Resolution = { match: null, judgements: [] };

interface Decision {
  readonly entity: number;
  readonly candidate: number;
  readonly verdict: Verdict;
  readonly confidence: number;
  readonly reason: string;
}

/** Decisions by entity, then by candidate. A pair with two conflicting decisions becomes uncertain. */
function mapDecisions(
  decisions: readonly Decision[],
  entities: readonly EntityToResolve[],
  log: DropLog,
): ReadonlyMap<number, Decision>[] {
  const said = entities.map(() => new Map<number, Decision>());
  for (const decision of decisions) {
    const place = said[decision.entity - 1];
    const before = place?.get(decision.candidate);
    if (
      place === undefined ||
      entities[decision.entity - 1]!.candidates[decision.candidate - 1] === undefined
    )
      log.note('decision', 'unknown-number');
    else if (before === undefined) place.set(decision.candidate, decision);
    else if (before.verdict === decision.verdict) log.note('decision', 'repeated');
    else {
      log.note('decision', 'inconsistent');
      place.set(decision.candidate, { ...before, verdict: 'uncertain' });
    }
  }
  return said;
}

/** Of several matches the surest is taken, the first of equals; the others are recorded as uncertain. */
function decide(entity: EntityToResolve, said: ReadonlyMap<number, Decision>, log: DropLog): Resolution {
  const judgements = entity.candidates.map((candidate, at) => judge(entity, candidate, said.get(at + 1)));
  const same = judgements.filter(({ verdict }) => verdict === 'same');
  const best = same.toSorted((a, b) => b.confidence - a.confidence)[0];
  log.note('decision', 'inconsistent', Math.max(0, same.length - 1));
  return {
    match: best?.id ?? null,
    judgements: judgements.map((each) =>
      each.verdict === 'same' && each !== best ? { ...each, verdict: 'uncertain' } : each,
    ),
  };
}

/** A pair that the reply does not list differs. */
function judge(
  entity: NamedEntity,
  candidate: RememberedEntity,
  said: Decision | undefined,
): CandidateJudgement {
  const { id } = candidate;
  if (said === undefined) return { id, verdict: 'different', confidence: 0, reason: '' };
  const confidence = Math.min(1, Math.max(0, said.confidence));
  const reason = tidy(said.reason).slice(0, LONGEST_REASON).toWellFormed();
  const holds = confidence >= LEAST_MERGE_CONFIDENCE && (reason !== '' || isFullName(entity, candidate));
  return { id, verdict: said.verdict === 'same' && !holds ? 'uncertain' : said.verdict, confidence, reason };
}

/** Whether both have the same name of two words or more; many people share a first name. */
function isFullName(a: NamedEntity, b: NamedEntity): boolean {
  const key = entityNameKey(a.name);
  return key.includes(' ') && [b.name, ...b.aliases].some((name) => entityNameKey(name) === key);
}
