import { ContextTooLongError, MalformedReplyError } from '../../../errors/index.ts';
import { stageCalls } from '../../../inference/language-model/calling/stage-calls.ts';
import { DropLog, type Dropped } from '../../../inference/language-model/reading/drop-log.ts';
import type { ModelUsage } from '../../../inference/language-model/tokens/usage-meter.ts';
import type { LanguageModel, ModelCallOptions } from '../../../inference/language-model.ts';
import { sentenceSpans } from '../../../util/sentences.ts';
import { entityNameKey } from '../../../util/tidy.ts';
import { estimateTokens } from '../../segment/plan-units.ts';
import { TOKENS_OF_REST, TOKENS_PER_CALL } from '../defaults.ts';
import type { ExtractOptions, Extractor, TurnToRead } from '../extractor.ts';
import { speakerName } from '../local/speakers.ts';
import type { DescribedExtraction, SegmentReading } from '../segment-reader.ts';
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
    const more = turnsOf(value).reduce((sum, turn) => sum + estimateTokens(turn), 0);
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

/** Text that is not cut further: a few sentences. */
const LEAST_CHARACTERS = 300;

interface Halves {
  readonly first: readonly TurnToRead[];
  readonly second: readonly TurnToRead[];
  /** What the numbers of the second are moved by, to count in the whole. */
  readonly moved: number;
}

/** Turns in two parts for two calls: a long single turn between two sentences. Null if they are too short for that. */
export function halve(turns: readonly TurnToRead[]): Halves | null {
  const middle = Math.ceil(turns.length / 2);
  const [turn] = turns;
  if (turns.length > 1) return { first: turns.slice(0, middle), second: turns.slice(middle), moved: middle };
  if (turn === undefined || turn.content.length < LEAST_CHARACTERS) return null;
  const { content } = turn;
  const ends = Array.from(sentenceSpans(content), ({ end }) => end);
  const cut = nearest(ends, content.length / 2) ?? nearest(spacesOf(content), content.length / 2);
  if (cut === null) return null;
  const part = (text: string, attachments: TurnToRead['attachments']) => [
    { ...turn, content: text.toWellFormed(), attachments },
  ];
  return {
    first: part(content.slice(0, cut), turn.attachments),
    second: part(content.slice(cut).trimStart(), []),
    moved: 0,
  };
}

function spacesOf(text: string): number[] {
  return Array.from(text.matchAll(/\s+/g), ({ index, 0: space }) => index + space.length);
}

/** The place nearest to the middle that leaves a good part on both sides. */
function nearest(places: readonly number[], middle: number): number | null {
  const good = places.filter((place) => place > middle / 2 && place < middle * 1.5);
  return good.reduce<number | null>(
    (best, place) => (best === null || Math.abs(place - middle) < Math.abs(best - middle) ? place : best),
    null,
  );
}

/** The error for a reply that was cut although the model was given as little as possible. */
export function cutReply({ name }: LanguageModel, prompt: string): MalformedReplyError {
  const issues = ['it was cut at the least input'];
  return new MalformedReplyError({ model: name, prompt, issues, truncated: true });
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
    const readings = mapReadings(read, segments, { log, names, earlier });
    return { readings, dropped: calls.meter.recordDropped(log.list()), usage: calls.meter.total };
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
    const halves = segments.length === 1 ? halve(segments[0]!) : null;
    const isLeast = segments.length === 1 && halves === null;
    try {
      const shown = segments.map((turns) => turns.map(toPromptTurn));
      const statesFacts = () => stateFacts(segments, calls);
      const input = { segments: shown, earlier, names, statesFacts };
      const { value, truncated } = await this.#model.structured(readSegments, input, calls);
      if (truncated && isLeast) throw cutReply(this.#model, readSegments.name);
      if (!truncated)
        return splitReply(
          value,
          segments.map((turns) => turns.length),
          log,
        );
    } catch (error) {
      if (isLeast || !isTooLong(error)) throw error;
    }
    return halves === null ? this.#askApart(segments, asking) : [await this.#askInHalves(halves, asking)];
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

  async #askInHalves({ first, second, moved }: Halves, asking: Asking): Promise<SegmentReply> {
    const [before] = await this.#ask([first], asking);
    const [after] = await this.#ask([second], { ...asking, earlier: before!.summary });
    return joinReplies(before!, after!, moved);
  }
}

/** Whether the rules of the local tier read a fact from the turns. They are loaded when they are needed. */
async function stateFacts(segments: readonly Turns[], { signal }: ModelCallOptions): Promise<boolean> {
  const { LocalSegmentReader } = await import('../local-segment-reader.ts');
  const readings = await new LocalSegmentReader().read(segments, { known: () => false, signal });
  return readings.some(({ extraction }) => extraction.facts.length > 0);
}
