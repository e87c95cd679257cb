import { stageCalls } from '../../inference/language-model/calling/stage-calls.ts';
import { DropLog, type Dropped } from '../../inference/language-model/reading/drop-log.ts';
import type { ModelUsage } from '../../inference/language-model/tokens/usage-meter.ts';
import type { LanguageModel, ModelCallOptions } from '../../inference/language-model.ts';
import { inBatches } from '../../util/collections.ts';
import { clockTime } from '../../util/speaker-clock.ts';
import { CANDIDATES_SHOWN, FACTS_PER_CALL, LEAST_END_CONFIDENCE } from './defaults.ts';
import { wordsOfCorrection } from './local-superseder.ts';
import { type OutdatedInput, type OutdatedReply, outdatedFacts } from './outdated-facts-prompt.ts';
import {
  compareTurns,
  type FactWithCandidates,
  type JudgedFact,
  laterOf,
  type Superseder,
  type Supersession,
} from './superseder.ts';

export interface SupersedingResult {
  readonly supersessions: readonly Supersession[];
  readonly dropped: readonly Dropped[];
  readonly usage: ModelUsage;
}

/** Asks a model which facts new ones make outdated (PersonalAI, "Graph Construction"). In doubt, none. */
export class LlmSuperseder implements Superseder {
  readonly #model: LanguageModel;
  readonly #calls: ModelCallOptions;

  constructor(model: LanguageModel, calls: ModelCallOptions = {}) {
    this.#model = model;
    this.#calls = calls;
  }

  concerns(): boolean {
    return true;
  }

  async supersede(
    facts: readonly FactWithCandidates[],
    calls: ModelCallOptions = {},
  ): Promise<readonly Supersession[]> {
    return (await this.supersedeAll(facts, calls)).supersessions;
  }

  /**
   * Facts without candidates cost no call.
   *
   * @throws what `LanguageModel.structured` throws; no fact is superseded then.
   */
  async supersedeAll(
    facts: readonly FactWithCandidates[],
    given: ModelCallOptions = {},
  ): Promise<SupersedingResult> {
    const calls = stageCalls(this.#calls, given);
    const log = new DropLog();
    const open = facts.filter(({ candidates }) => candidates.length > 0);
    const supersessions: Supersession[] = [];
    for (const batch of inBatches(open, FACTS_PER_CALL)) {
      const sheet = new FactSheet(batch);
      const { value } = await this.#model.structured(outdatedFacts, sheet.input, calls);
      supersessions.push(...mapPairs(value, sheet, log));
    }
    return { supersessions, dropped: calls.meter.recordDropped(log.list()), usage: calls.meter.total };
  }
}

/** The facts of a call, numbered, each once. */
class FactSheet {
  readonly input: OutdatedInput;
  readonly #facts: readonly JudgedFact[];
  readonly #pairs = new Set<string>();

  constructor(batch: readonly FactWithCandidates[]) {
    const asked = batch.map(({ fact, candidates }) => ({
      fact,
      candidates: candidates.slice(0, CANDIDATES_SHOWN),
    }));
    const unique = new Map(
      [...asked.flatMap(({ candidates }) => candidates), ...asked.map(({ fact }) => fact)].map((fact) => [
        fact.id,
        fact,
      ]),
    );
    this.#facts = [...unique.values()].sort((a, b) => a.told.at - b.told.at || compareTurns(a.told, b.told));
    const numbers = new Map(this.#facts.map(({ id }, at) => [id, at + 1]));
    const pairs = asked.map(({ fact, candidates }) => ({
      fact: numbers.get(fact.id)!,
      others: candidates.map(({ id }) => numbers.get(id)!),
    }));
    for (const { fact, others } of pairs) for (const other of others) this.#pairs.add(keyOf(fact, other));
    this.input = {
      facts: this.#facts.map(({ statement, validAt, invalidAt, told, said }) => {
        const toldAt = clockTime({ validAt: told.at, offset: told.offset });
        return {
          statement,
          validAt: validAt < told.at ? validAt : toldAt,
          invalidAt,
          toldAt,
          said: wordsOfCorrection(said),
        };
      }),
      pairs,
    };
  }

  factAt(number: number): JudgedFact | undefined {
    return this.#facts[number - 1];
  }

  asksFor(one: number, other: number): boolean {
    return this.#pairs.has(keyOf(one, other));
  }
}

function keyOf(one: number, other: number): string {
  return one < other ? `${one} ${other}` : `${other} ${one}`;
}

/** Applies the first decision on each pair. */
function mapPairs({ outdated }: OutdatedReply, sheet: FactSheet, log: DropLog): Supersession[] {
  const said = new Map<string, Supersession | null>();
  for (const { old, by, kind, confidence } of log.wellFormed(outdated)) {
    const [before, after] = [sheet.factAt(old), sheet.factAt(by)];
    const key = keyOf(old, by);
    if (before === undefined || after === undefined || !sheet.asksFor(old, by))
      log.note('decision', 'unknown-number');
    else if (said.has(key)) log.note('decision', 'repeated');
    else if (kind === 'neither') said.set(key, null);
    else if (confidence < LEAST_END_CONFIDENCE) {
      log.note('decision', 'unsupported');
      said.set(key, null);
    } else {
      const supersession = supersessionOf(before, after, kind);
      if (supersession === null) log.note('decision', 'inconsistent');
      said.set(key, supersession);
    }
  }
  return [...said.values()].filter((each) => each !== null);
}

/** Null if the outdated fact is the later one, because a later fact cannot be ended by an earlier one. */
function supersessionOf(old: JudgedFact, by: JudgedFact, kind: Supersession['kind']): Supersession | null {
  if (kind === 'corrects')
    return compareTurns(by.told, old.told) > 0 ? { old: old.id, by: by.id, kind, at: old.validAt } : null;
  return laterOf(old, by) === by ? { old: old.id, by: by.id, kind, at: by.validAt } : null;
}
