import { stageCalls } from '../../inference/language-model/calling/stage-calls.ts';
import { DropLog, type Dropped } from '../../inference/language-model/reading/drop-log.ts';
import type { ModelUsage } from '../../inference/language-model/tokens/usage-meter.ts';
import type { LanguageModel, ModelCallOptions } from '../../inference/language-model.ts';
import type { TurnToRead } from '../extract/extractor.ts';
import { toPromptTurn } from '../extract/llm/talk.ts';
import { FEWEST_TURNS } from './defaults.ts';
import { segmentBoundaries } from './segment-boundaries-prompt.ts';
import type { Segmenter } from './segmenter.ts';

export interface SegmentingResult {
  /** As `Segmenter.boundaries` returns them. */
  readonly boundaries: readonly number[];
  readonly dropped: readonly Dropped[];
  readonly usage: ModelUsage;
}

/** Asks a model where the topic changes. */
export class LlmSegmenter implements Segmenter {
  readonly #model: LanguageModel;
  readonly #calls: ModelCallOptions;

  constructor(model: LanguageModel, calls: ModelCallOptions = {}) {
    this.#model = model;
    this.#calls = calls;
  }

  /** @throws what `LanguageModel.structured` throws; the turns stay in the buffer then. */
  async boundaries(turns: readonly TurnToRead[], calls: ModelCallOptions = {}): Promise<readonly number[]> {
    return (await this.segment(turns, calls)).boundaries;
  }

  /** Makes no call if there are too few turns for two topics. */
  async segment(turns: readonly TurnToRead[], given: ModelCallOptions = {}): Promise<SegmentingResult> {
    const calls = stageCalls(this.#calls, given);
    const log = new DropLog();
    const lastTurns =
      turns.length < 2 * FEWEST_TURNS
        ? []
        : (await this.#model.structured(segmentBoundaries, { turns: turns.map(toPromptTurn) }, calls)).value
            .lastTurns;
    return {
      boundaries: mapBoundaries(lastTurns, turns.length, log),
      dropped: calls.meter.recordDropped(log.list()),
      usage: calls.meter.total,
    };
  }
}

/**
 * The reply may also contain the last turn of the last topic; a topic that is too short is joined to the one before.
 */
function mapBoundaries(lastTurns: readonly number[], turns: number, log: DropLog): number[] {
  const known = lastTurns.filter((number) => Number.isInteger(number) && number >= 1 && number <= turns);
  log.note('boundary', 'unknown-number', lastTurns.length - known.length);
  const boundaries: number[] = [];
  for (const boundary of [...new Set(known)].sort((a, b) => a - b).map((number) => number - 1)) {
    if (boundary === turns - 1) continue;
    const isApart =
      boundary - (boundaries.at(-1) ?? -1) >= FEWEST_TURNS && turns - 1 - boundary >= FEWEST_TURNS;
    if (isApart) boundaries.push(boundary);
    else log.note('boundary', 'inconsistent');
  }
  return boundaries;
}
