import { MnemisError } from '../../../errors/index.ts';
import { stageCalls } from '../../../inference/language-model/calling/stage-calls.ts';
import type { LanguageModel, ModelCallOptions } from '../../../inference/language-model.ts';
import { LocalSummarizer } from '../../describe/local-summarizer.ts';
import { isCausedByTurns } from '../../local-fallback.ts';
import type { TurnToRead } from '../extractor.ts';
import type { CheckedReading, ReadOptions, SegmentReader, SegmentReading } from '../segment-reader.ts';
import { selfCheck } from '../self-check.ts';
import { LlmReader } from './llm-reader.ts';
import { LlmReflector } from './llm-reflector.ts';

interface FinishOptions {
  /** Result of a model's reflection; if absent, the reading is checked by rules. */
  readonly verified?: readonly boolean[] | undefined;
  /** Whether turns may be dropped; without the gate all are kept, regardless of the model. */
  readonly gate: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** Adds what a model left out of a reading, or was not asked for: title, summary and self-check. */
export async function finishReading(
  turns: readonly TurnToRead[],
  reading: SegmentReading,
  { verified, gate, signal }: FinishOptions,
): Promise<CheckedReading> {
  const { extraction, keywords, summary } = reading;
  const isWhole = turns.length === 0 || (keywords.length > 0 && summary !== '');
  const local = isWhole ? reading : await new LocalSummarizer().summarize({ turns, extraction }, { signal });
  return {
    ...reading,
    keywords: keywords.length > 0 ? keywords : local.keywords,
    summary: summary === '' ? local.summary : summary,
    judgements: gate ? reading.judgements : turns.map(() => 'kept'),
    verified: verified ?? selfCheck(turns, extraction),
  };
}

interface LlmSegmentReaderOptions {
  /** Whether turns may be dropped; without the gate all are kept. */
  readonly gate: boolean;
  /** Whether a model checks the reading, usually in one more call per session. */
  readonly reflection: boolean;
  readonly calls?: ModelCallOptions | undefined;
}

/**
 * Reads the segments of a session together: one call of a model, or two with reflection. If the reflection fails
 * because of the turns, the reading is kept and checked by rules.
 */
export class LlmSegmentReader implements SegmentReader {
  readonly #reader: LlmReader;
  readonly #reflector: LlmReflector | null;
  readonly #gate: boolean;
  readonly #calls: ModelCallOptions;

  constructor(model: LanguageModel, { gate, reflection, calls = {} }: LlmSegmentReaderOptions) {
    this.#reader = new LlmReader(model);
    this.#reflector = reflection ? new LlmReflector(model) : null;
    this.#gate = gate;
    this.#calls = calls;
  }

  async read(
    segments: readonly (readonly TurnToRead[])[],
    { names, earlier, ...given }: ReadOptions,
  ): Promise<readonly CheckedReading[]> {
    const calls = stageCalls(this.#calls, given);
    const { readings } = await this.#reader.read(segments, { names, earlier, ...calls });
    const checked = await this.#check(segments, readings, calls);
    return Promise.all(
      checked.map(({ reading, verified }, at) =>
        finishReading(segments[at]!, reading, { verified, gate: this.#gate, signal: calls.signal }),
      ),
    );
  }

  async #check(
    segments: readonly (readonly TurnToRead[])[],
    readings: readonly SegmentReading[],
    calls: ModelCallOptions,
  ): Promise<readonly { readonly reading: SegmentReading; readonly verified?: readonly boolean[] }[]> {
    const unreflected = readings.map((reading) => ({ reading }));
    if (this.#reflector === null) return unreflected;
    const read = readings.map((reading, at) => ({ reading, turns: segments[at]! }));
    try {
      return (await this.#reflector.reflectAll(read, calls)).reflections;
    } catch (error) {
      if (MnemisError.isInstance(error) && isCausedByTurns(error)) return unreflected;
      throw error;
    }
  }
}
