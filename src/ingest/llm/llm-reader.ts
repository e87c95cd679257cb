import { ContextTooLongError, MalformedReplyError } from '../../errors/index.ts';
import type { LanguageModel, ModelCallOptions } from '../../inference/language-model.ts';
import { type ReadSegmentReply, readSegment } from '../../prompts/read-segment.ts';
import type { ExtractOptions, Extractor, TurnToRead } from '../extractor.ts';
import { MAX_SEGMENT_SUMMARY } from '../segment/summarizer.ts';
import { DropLog } from './drop-log.ts';
import { mapReading } from './map-reading.ts';
import type { DescribedExtraction, SegmentReading } from './segment-reading.ts';
import { stageCalls } from './stage-calls.ts';
import { Talk, toPromptTurn } from './talk.ts';
import { shorten } from './tidy.ts';

export interface ReadOptions extends ModelCallOptions {
  /** Summary of what the session's turns before these were about. */
  readonly earlier?: string | undefined;
  /** Names that memory has for what these turns may speak of. */
  readonly names?: readonly string[] | undefined;
}

/**
 * Reads a whole segment in one call: which turns are kept, keywords, summary, entities, facts. A segment that is too
 * long for the model, or whose reply was cut short, is read in halves. Nothing is taken from a reply that no turn
 * bears out.
 */
export class LlmReader implements Extractor {
  readonly #model: LanguageModel;
  readonly #calls: ModelCallOptions;

  constructor(model: LanguageModel, calls: ModelCallOptions = {}) {
    this.#model = model;
    this.#calls = calls;
  }

  /**
   * @param turns Of one session, in order. None are read without a call.
   * @throws what `LanguageModel.structured` throws; nothing is kept of the segment then.
   */
  async read(
    turns: readonly TurnToRead[],
    { earlier, names, ...given }: ReadOptions = {},
  ): Promise<SegmentReading> {
    const calls = stageCalls(this.#calls, given);
    const log = new DropLog();
    const talk = new Talk(turns);
    const reply = turns.length === 0 ? EMPTY : await this.#ask(turns, { earlier, names, ...calls });
    return { ...mapReading(reply, talk, log), dropped: log.list(), usage: calls.meter.total };
  }

  /** The entities and facts of a reading alone. */
  async extract(
    unit: readonly TurnToRead[],
    { signal }: Pick<ExtractOptions, 'signal'> = {},
  ): Promise<DescribedExtraction> {
    return (await this.read(unit, { signal })).extraction;
  }

  async #ask(turns: readonly TurnToRead[], options: ReadOptions): Promise<ReadSegmentReply> {
    const { earlier, names, ...calls } = options;
    try {
      const input = { turns: turns.map(toPromptTurn), earlier, names };
      const { value, truncated } = await this.#model.structured(readSegment, input, calls);
      // What a single turn gives within the model's limits is all that there is to get.
      if (!truncated || turns.length === 1) return value;
    } catch (error) {
      if (turns.length === 1 || !isTooLong(error)) throw error;
    }
    return this.#askInHalves(turns, options);
  }

  async #askInHalves(turns: readonly TurnToRead[], options: ReadOptions): Promise<ReadSegmentReply> {
    const middle = Math.ceil(turns.length / 2);
    const first = await this.#ask(turns.slice(0, middle), options);
    const second = await this.#ask(turns.slice(middle), { ...options, earlier: first.summary });
    return join(
      renumber(first, { turns: middle, from: 0 }),
      renumber(second, { turns: turns.length - middle, from: middle }),
    );
  }
}

const EMPTY: ReadSegmentReply = { keep: [], keywords: [], summary: '', entities: [], facts: [] };

function isTooLong(error: unknown): boolean {
  return ContextTooLongError.isInstance(error) || (MalformedReplyError.isInstance(error) && error.truncated);
}

/** The reply with its numbers as those of the whole segment; a number of no turn of its own becomes 0, which is none. */
function renumber(
  reply: ReadSegmentReply,
  { turns, from }: { turns: number; from: number },
): ReadSegmentReply {
  const move = (numbers: readonly number[]) =>
    numbers.map((number) => (number >= 1 && number <= turns ? number + from : 0));
  return {
    ...reply,
    keep: move(reply.keep),
    entities: reply.entities.map((entity) => entity && { ...entity, turns: move(entity.turns) }),
    facts: reply.facts.map((fact) => fact && { ...fact, turns: move(fact.turns) }),
  };
}

/** Keywords alternate, so that both halves are among the first. */
function join(first: ReadSegmentReply, second: ReadSegmentReply): ReadSegmentReply {
  const longer = Math.max(first.keywords.length, second.keywords.length);
  const keywords = Array.from({ length: longer }, (_, at) => [
    first.keywords[at],
    second.keywords[at],
  ]).flat();
  return {
    keep: [...first.keep, ...second.keep],
    keywords: keywords.filter((keyword) => keyword !== undefined),
    summary: joinSummaries(first.summary, second.summary),
    entities: [...first.entities, ...second.entities],
    facts: [...first.facts, ...second.facts],
  };
}

/** Where both do not fit, each gets its half. */
function joinSummaries(first: string, second: string): string {
  const joined = `${first} ${second}`.trim();
  if (joined.length <= MAX_SEGMENT_SUMMARY) return joined;
  const share = Math.floor((MAX_SEGMENT_SUMMARY - 1) / 2);
  return `${shorten(first, share)} ${shorten(second, share)}`;
}
