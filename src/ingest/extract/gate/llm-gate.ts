import { stageCalls } from '../../../inference/language-model/calling/stage-calls.ts';
import type { ModelUsage } from '../../../inference/language-model/tokens/usage-meter.ts';
import type { LanguageModel, ModelCallOptions } from '../../../inference/language-model.ts';
import type { TurnToRead } from '../extractor.ts';
import { DropLog, type Dropped } from '../llm/drop-log.ts';
import { Talk, toPromptTurn } from '../llm/talk.ts';
import { judgeTurns } from './judge-turns-prompt.ts';
import type { Judgement, MemoryGate } from './memory-gate.ts';

export interface JudgingResult {
  /** As `MemoryGate.judge` gives them. */
  readonly judgements: readonly Judgement[];
  readonly dropped: readonly Dropped[];
  readonly usage: ModelUsage;
}

/** Asks a model which turns to keep, in a call of its own; `LlmReader` does it along with the rest. */
export class LlmGate implements MemoryGate {
  readonly #model: LanguageModel;
  readonly #calls: ModelCallOptions;

  constructor(model: LanguageModel, calls: ModelCallOptions = {}) {
    this.#model = model;
    this.#calls = calls;
  }

  /** @throws what `LanguageModel.structured` throws; the turns are unjudged then. */
  async judge(turns: readonly TurnToRead[], calls: ModelCallOptions = {}): Promise<readonly Judgement[]> {
    return (await this.judgeAll(turns, calls)).judgements;
  }

  async judgeAll(turns: readonly TurnToRead[], given: ModelCallOptions = {}): Promise<JudgingResult> {
    const calls = stageCalls(this.#calls, given);
    const log = new DropLog();
    const input = { turns: turns.map(toPromptTurn) };
    const keep =
      turns.length === 0 ? [] : (await this.#model.structured(judgeTurns, input, calls)).value.keep;
    const kept = new Set(new Talk(turns).cited(keep, log));
    const judgements = turns.map((_, at): Judgement => (kept.has(at) ? 'kept' : 'dropped'));
    return { judgements, dropped: log.list(), usage: calls.meter.total };
  }
}
