import type { TurnToRead } from '../extractor.ts';
import { LocalSummarizer } from '../segment/local-summarizer.ts';
import { selfCheck } from '../segment/self-check.ts';
import type { CheckedReading, SegmentReading } from '../segment-reading.ts';

export interface FinishOptions {
  /** By a model's reflection; left out, the reading is checked by words. */
  readonly verified?: readonly boolean[] | undefined;
  /** Without the gate all turns are kept, whatever a model says of them. */
  readonly gate: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** What a model left out of a reading, or was not asked for: title, summary and self-check. */
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
