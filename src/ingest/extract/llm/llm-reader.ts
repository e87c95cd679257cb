import { ContextTooLongError, MalformedReplyError } from '../../../errors/index.ts';
import { stageCalls } from '../../../inference/language-model/calling/stage-calls.ts';
import type { ModelUsage } from '../../../inference/language-model/tokens/usage-meter.ts';
import type { LanguageModel, ModelCallOptions } from '../../../inference/language-model.ts';
import { estimateTokens } from '../../segment/plan-units.ts';
import type { ExtractOptions, Extractor, TurnToRead } from '../extractor.ts';
import type { DescribedExtraction, SegmentReading } from '../segment-reader.ts';
import { DropLog, type Dropped } from './drop-log.ts';
import { mapReadings } from './map-reading.ts';
import { readSegments } from './read-segments-prompt.ts';
import { EMPTY_REPLY, joinReplies, type SegmentReply, splitReply } from './split-reply.ts';
import { toPromptTurn } from './talk.ts';

/** Segments of so many tokens together are read in one call: what the rules cost is then paid once. */
const TOKENS_PER_CALL = 1_500;

/** Consecutive values whose turns share a call; one that is longer by itself has its own. */
export function groupByTokens<Value>(
  values: readonly Value[],
  turnsOf: (value: Value) => readonly TurnToRead[],
): Value[][] {
  const groups: Value[][] = [];
  let left = 0;
  for (const value of values) {
    const tokens = tokensOf(turnsOf(value));
    if (groups.length === 0 || tokens > left) {
      groups.push([]);
      left = TOKENS_PER_CALL;
    }
    groups.at(-1)!.push(value);
    left -= tokens;
  }
  return groups;
}

function tokensOf(turns: readonly TurnToRead[]): number {
  return turns.reduce((sum, turn) => sum + estimateTokens(turn), 0);
}

/** Whether a call failed because it asks for too much at once, so that less may do. */
export function isTooLong(error: unknown): boolean {
  return ContextTooLongError.isInstance(error) || (MalformedReplyError.isInstance(error) && error.truncated);
}

interface ReadOptions extends ModelCallOptions {
  /** Summary of what the session's turns before these were about. */
  readonly earlier?: string | undefined;
  /** Names that memory has for what these turns may speak of. */
  readonly names?: readonly string[] | undefined;
}

interface ReadingResult {
  /** One per segment, in order. */
  readonly readings: readonly SegmentReading[];
  /** Of all segments together. */
  readonly dropped: readonly Dropped[];
  readonly usage: ModelUsage;
}

type Turns = readonly TurnToRead[];
interface Asking extends ReadOptions {
  readonly log: DropLog;
}

/**
 * Reads segments: which turns are kept, keywords, summary, entities, facts; one call for those of a usual session.
 * What is too long for the model, or whose reply was cut short, is read in halves. Nothing is taken from a reply that
 * no turn bears out.
 */
export class LlmReader implements Extractor {
  readonly #model: LanguageModel;
  readonly #calls: ModelCallOptions;

  constructor(model: LanguageModel, calls: ModelCallOptions = {}) {
    this.#model = model;
    this.#calls = calls;
  }

  /**
   * @param segments Consecutive ones of one session, their turns in order. Empty ones cost nothing.
   * @throws what `LanguageModel.structured` throws; nothing is kept of the segments then.
   */
  async read(
    segments: readonly Turns[],
    { earlier, names, ...given }: ReadOptions = {},
  ): Promise<ReadingResult> {
    const calls = stageCalls(this.#calls, given);
    const log = new DropLog();
    const replies: SegmentReply[] = [];
    for (const group of groupByTokens(segments, (turns) => turns)) {
      const before = replies.findLast(({ summary }) => summary !== '')?.summary ?? earlier;
      replies.push(...(await this.#ask(group, { earlier: before, names, log, ...calls })));
    }
    return { readings: mapReadings(replies, segments, log), dropped: log.list(), usage: calls.meter.total };
  }

  /** The entities and facts of a unit alone. */
  async extract(unit: Turns, { signal }: Pick<ExtractOptions, 'signal'> = {}): Promise<DescribedExtraction> {
    return (await this.read([unit], { signal })).readings[0]!.extraction;
  }

  /** One reply per segment. */
  async #ask(segments: readonly Turns[], asking: Asking): Promise<SegmentReply[]> {
    const filled = segments.filter((turns) => turns.length > 0);
    if (filled.length < segments.length) return this.#askFilled(segments, asking);
    const { log, earlier, names, ...calls } = asking;
    const isLeast = segments.length === 1 && segments[0]!.length === 1;
    try {
      const input = { segments: segments.map((turns) => turns.map(toPromptTurn)), earlier, names };
      const { value, truncated } = await this.#model.structured(readSegments, input, calls);
      // What a single turn gives within the model's limits is all that there is to get.
      if (!truncated || isLeast)
        return splitReply(
          value,
          segments.map((turns) => turns.length),
          log,
        );
    } catch (error) {
      if (isLeast || !isTooLong(error)) throw error;
    }
    return segments.length > 1
      ? this.#askApart(segments, asking)
      : [await this.#askInHalves(segments[0]!, asking)];
  }

  async #askFilled(segments: readonly Turns[], asking: Asking): Promise<SegmentReply[]> {
    const filled = segments.filter((turns) => turns.length > 0);
    const replies = filled.length === 0 ? [] : await this.#ask(filled, asking);
    return segments.map((turns) => (turns.length === 0 ? EMPTY_REPLY : replies[filled.indexOf(turns)]!));
  }

  async #askApart(segments: readonly Turns[], asking: Asking): Promise<SegmentReply[]> {
    const middle = Math.ceil(segments.length / 2);
    const first = await this.#ask(segments.slice(0, middle), asking);
    const earlier = first.at(-1)!.summary;
    return [...first, ...(await this.#ask(segments.slice(middle), { ...asking, earlier }))];
  }

  async #askInHalves(turns: Turns, asking: Asking): Promise<SegmentReply> {
    const middle = Math.ceil(turns.length / 2);
    const [first] = await this.#ask([turns.slice(0, middle)], asking);
    const [second] = await this.#ask([turns.slice(middle)], { ...asking, earlier: first!.summary });
    return joinReplies(first!, second!, middle);
  }
}
