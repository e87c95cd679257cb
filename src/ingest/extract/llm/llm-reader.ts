import { ContextTooLongError, MalformedReplyError } from '../../../errors/index.ts';
import { stageCalls } from '../../../inference/language-model/calling/stage-calls.ts';
import type { ModelUsage } from '../../../inference/language-model/tokens/usage-meter.ts';
import type { LanguageModel, ModelCallOptions } from '../../../inference/language-model.ts';
import { entityNameKey } from '../../../util/tidy.ts';
import { estimateTokens } from '../../segment/plan-units.ts';
import { TOKENS_OF_REST, TOKENS_PER_CALL } from '../defaults.ts';
import type { ExtractOptions, Extractor, TurnToRead } from '../extractor.ts';
import { speakerName } from '../local/speakers.ts';
import type { DescribedExtraction, SegmentReading } from '../segment-reader.ts';
import { DropLog, type Dropped } from './drop-log.ts';
import { mapReadings } from './map-reading.ts';
import { readSegments } from './read-segments-prompt.ts';
import { EMPTY_REPLY, joinReplies, type SegmentReply, splitReply } from './split-reply.ts';
import { toPromptTurn } from './talk.ts';

/**
 * Groups consecutive values whose turns share a call; a value that exceeds the limit forms its own group. A short rest
 * joins the group before it: alone it would cost more for the prompt's rules than for its turns.
 */
export function groupByTokens<Value>(
  values: readonly Value[],
  turnsOf: (value: Value) => readonly TurnToRead[],
): Value[][] {
  const groups: Value[][] = [];
  let tokens = 0;
  for (const value of values) {
    const more = tokensOf(turnsOf(value));
    if (groups.length === 0 || tokens + more > TOKENS_PER_CALL) {
      groups.push([]);
      tokens = 0;
    }
    groups.at(-1)!.push(value);
    tokens += more;
  }
  if (groups.length > 1 && tokens <= TOKENS_OF_REST) groups.splice(-2, 2, groups.slice(-2).flat());
  return groups;
}

function tokensOf(turns: readonly TurnToRead[]): number {
  return turns.reduce((sum, turn) => sum + estimateTokens(turn), 0);
}

/** Without descriptions of the speakers, who would be described by what their facts say already. */
function withoutSpeakers(replies: readonly SegmentReply[], segments: readonly Turns[]): SegmentReply[] {
  const speakers = new Set(segments.flat().map((turn) => entityNameKey(speakerName(turn))));
  return replies.map((reply) => ({
    ...reply,
    entities: reply.entities.map((entity) =>
      speakers.has(entityNameKey(entity.name)) ? { ...entity, description: '' } : entity,
    ),
  }));
}

/** Whether a call failed because its input or output was too long, so that a smaller call may succeed. */
export function isTooLong(error: unknown): boolean {
  return ContextTooLongError.isInstance(error) || (MalformedReplyError.isInstance(error) && error.truncated);
}

interface ReadOptions extends ModelCallOptions {
  /** Summary of the session's earlier turns. */
  readonly earlier?: string | undefined;
  /** Names in memory that these turns may refer to. */
  readonly names?: readonly string[] | undefined;
}

interface ReadingResult {
  /** One per segment, in order. */
  readonly readings: readonly SegmentReading[];
  /** Dropped items of all segments. */
  readonly dropped: readonly Dropped[];
  readonly usage: ModelUsage;
}

type Turns = readonly TurnToRead[];
interface Asking extends ReadOptions {
  readonly log: DropLog;
}

/**
 * Reads segments: judgements, keywords, summary, entities, facts; usually one call per session. If the input is too
 * long for the model, or its reply was cut off, the input is split in halves. Only what a turn supports is taken from
 * a reply.
 */
export class LlmReader implements Extractor {
  readonly #model: LanguageModel;
  readonly #calls: ModelCallOptions;

  constructor(model: LanguageModel, calls: ModelCallOptions = {}) {
    this.#model = model;
    this.#calls = calls;
  }

  /**
   * @param segments Consecutive segments of one session, their turns in order. Empty ones cost no call.
   * @throws what `LanguageModel.structured` throws; then no segment is read.
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
    const read = withoutSpeakers(replies, segments);
    return { readings: mapReadings(read, segments, log), dropped: log.list(), usage: calls.meter.total };
  }

  /** Returns the entities and facts of a unit only. */
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
      // A single turn cannot be split further, so its reply is used even if it was cut off.
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
