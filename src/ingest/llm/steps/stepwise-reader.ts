import { stageCalls } from '../../../inference/language-model/calling/stage-calls.ts';
import type { LanguageModel, ModelCallOptions } from '../../../inference/language-model.ts';
import type { PromptTurn } from '../../../prompts/render-turns.ts';
import type { TurnToRead } from '../../extractor.ts';
import type { Reading } from '../../profile.ts';
import { estimateTokens } from '../../segment/estimate-tokens.ts';
import type { ReadOptions, SegmentReader } from '../../segment-reader.ts';
import type { CheckedReading } from '../../segment-reading.ts';
import { DropLog } from '../drop-log.ts';
import { finishReading } from '../finish-reading.ts';
import { mapReadings } from '../map-reading.ts';
import { EMPTY_REPLY, joinReplies, type SegmentReply } from '../split-reply.ts';
import { toPromptTurn } from '../talk.ts';
import { isTooLong } from '../too-long.ts';
import { readLikeGam } from './read-like-gam.ts';
import { readLikeMemorai } from './read-like-memorai.ts';
import { readLikeMnemis } from './read-like-mnemis.ts';
import { readLikePersonalai } from './read-like-personalai.ts';
import { type ReadInSteps, type StepOptions, Steps } from './steps.ts';

export type StepwiseReading = Exclude<Reading, 'together'>;

const WAYS: Readonly<Record<StepwiseReading, ReadInSteps>> = {
  mnemis: readLikeMnemis,
  memorai: readLikeMemorai,
  gam: readLikeGam,
  personalai: readLikePersonalai,
};

/** PAPERS §1.1. */
const RECENT_TURNS = 10;
const RECENT_TOKENS = 1_000;

export interface StepwiseReaderOptions {
  readonly reading: StepwiseReading;
  readonly gate: boolean;
  readonly reflection: boolean;
  readonly calls?: ModelCallOptions | undefined;
}

type Turns = readonly TurnToRead[];
type Given = Omit<StepOptions, 'recent'>;

/**
 * Reads segments one by one, in the separate calls of a paper. A summary, and keywords, that a paper does not ask for
 * are the local ones, the self-check is by words. A segment that is too long for the model, or that a reply was cut
 * short for, is read in halves.
 */
export class StepwiseReader implements SegmentReader {
  readonly #model: LanguageModel;
  readonly #options: StepwiseReaderOptions;

  constructor(model: LanguageModel, options: StepwiseReaderOptions) {
    this.#model = model;
    this.#options = options;
  }

  async read(
    segments: readonly Turns[],
    { recent = [], ...options }: ReadOptions,
  ): Promise<readonly CheckedReading[]> {
    const { gate, reflection, calls: made = {} } = this.#options;
    const calls = stageCalls(made, options);
    const given = { model: this.#model, calls, log: new DropLog(), gate, reflection };
    const replies: SegmentReply[] = [];
    for (const [at, turns] of segments.entries())
      replies.push(await this.#readOne(turns, [...recent, ...segments.slice(0, at).flat()], given));
    return Promise.all(
      mapReadings(replies, segments, given.log).map((reading, at) =>
        finishReading(segments[at]!, reading, { gate, signal: calls.signal }),
      ),
    );
  }

  async #readOne(turns: Turns, before: Turns, given: Given): Promise<SegmentReply> {
    if (turns.length === 0) return EMPTY_REPLY;
    const steps = new Steps({ ...given, recent: lastTurns(before) });
    try {
      const reply = await WAYS[this.#options.reading](turns, steps);
      if (!steps.truncated || turns.length === 1) return reply;
    } catch (error) {
      if (turns.length === 1 || !isTooLong(error)) throw error;
    }
    const middle = Math.ceil(turns.length / 2);
    const [head, tail] = [turns.slice(0, middle), turns.slice(middle)];
    const first = await this.#readOne(head, before, given);
    return joinReplies(first, await this.#readOne(tail, [...before, ...head], given), middle);
  }
}

/** As many of the last turns as Mnemis shows. */
function lastTurns(before: Turns): PromptTurn[] {
  const recent: TurnToRead[] = [];
  let left = RECENT_TOKENS;
  for (const turn of before.slice(-RECENT_TURNS).reverse()) {
    left -= estimateTokens(turn);
    if (left < 0) break;
    recent.unshift(turn);
  }
  return recent.map(toPromptTurn);
}
