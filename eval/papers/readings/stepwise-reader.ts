import { stageCalls } from '../../../src/inference/language-model/calling/stage-calls.ts';
import { DropLog } from '../../../src/inference/language-model/reading/drop-log.ts';
import type { LanguageModel, ModelCallOptions } from '../../../src/inference/language-model.ts';
import type { TurnToRead } from '../../../src/ingest/extract/extractor.ts';
import { cutReply, halve, isTooLong } from '../../../src/ingest/extract/llm/llm-reader.ts';
import { finishReading } from '../../../src/ingest/extract/llm/llm-segment-reader.ts';
import { mapReadings } from '../../../src/ingest/extract/llm/map-reading.ts';
import type { ReadEntity } from '../../../src/ingest/extract/llm/reading-rules-prompt.ts';
import { EMPTY_REPLY, joinReplies, type SegmentReply } from '../../../src/ingest/extract/llm/split-reply.ts';
import { toPromptTurn } from '../../../src/ingest/extract/llm/talk.ts';
import type {
  CheckedReading,
  DescribedEntity,
  ReadOptions,
  SegmentReader,
} from '../../../src/ingest/extract/segment-reader.ts';
import type { ReaderFactory } from '../../../src/ingest/profile.ts';
import { estimateTokens } from '../../../src/ingest/segment/plan-units.ts';
import type { PromptTurn } from '../../../src/prompts/render-turns.ts';
import { sentencesOf } from '../../../src/util/sentences.ts';
import { says } from '../../../src/util/tidy.ts';
import { type ReadInSteps, type StepOptions, Steps } from './steps.ts';

/** Number of turns before a unit that Mnemis shows (§2.1). */
const RECENT_TURNS = 10;
const RECENT_TOKENS = 1_000;

export interface StepwiseReaderOptions {
  /** The calls of one paper. */
  readonly reading: ReadInSteps;
  readonly gate: boolean;
  readonly reflection: boolean;
  readonly calls?: ModelCallOptions | undefined;
}

/** Creates the reader for a profile of a paper. */
export function stepwise(reading: ReadInSteps): ReaderFactory {
  return (model, options) => new StepwiseReader(model, { reading, ...options });
}

type Turns = readonly TurnToRead[];

interface Given extends Omit<StepOptions, 'recent' | 'resolve'> {
  readonly resolve: ReadOptions['resolve'];
  /** Number of turns of the segment before those that are read. */
  readonly from: number;
}

/**
 * Reads segments one by one, with the separate calls of a paper. Where a paper has no call for summary or keywords, the
 * local ones are used; where it has no self-check, one by rules. A segment that is too long for the model, or whose reply was
 * truncated, is read in halves; a long turn, too.
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
    { recent = [], resolve, ...options }: ReadOptions,
  ): Promise<readonly CheckedReading[]> {
    const { gate, reflection, calls: made = {} } = this.#options;
    const calls = stageCalls(made, options);
    const names = [...(options.names ?? [])];
    const given: Given = {
      ...{ model: this.#model, calls, log: new DropLog(), gate, reflection, from: 0 },
      resolve:
        resolve &&
        (async (named) => {
          const found = await resolve(named);
          names.push(...found);
          return found;
        }),
    };
    const replies: SegmentReply[] = [];
    for (const [at, turns] of segments.entries())
      replies.push(await this.#readOne(turns, [...recent, ...segments.slice(0, at).flat()], given));
    return Promise.all(
      mapReadings(replies, segments, { log: given.log, names, recent }).map((reading, at) =>
        finishReading(segments[at]!, reading, {
          verified: replies[at]!.verified && verifiedTurns(segments[at]!, reading, replies[at]!.verified),
          gate,
          signal: calls.signal,
        }),
      ),
    );
  }

  async #readOne(turns: Turns, before: Turns, given: Given): Promise<SegmentReply> {
    if (turns.length === 0) return EMPTY_REPLY;
    const { resolve, from, ...options } = given;
    const steps = new Steps({
      ...options,
      recent: lastTurns(before),
      resolve: resolve && ((named) => resolve(named.map((entity) => described(entity, turns, from)))),
    });
    const halves = halve(turns);
    try {
      const reply = await this.#options.reading(turns, steps);
      if (steps.cut === null) return reply;
      if (halves === null) throw cutReply(this.#model, steps.cut);
    } catch (error) {
      if (halves === null || !isTooLong(error)) throw error;
    }
    const { first, second, moved } = halves;
    const head = await this.#readOne(first, before, given);
    const after = { ...given, from: from + moved };
    return joinReplies(head, await this.#readOne(second, [...before, ...first], after), moved);
  }
}

/** A named entity with what the turns that name it say. @param from Number of turns of the segment before them. */
function described(entity: ReadEntity, turns: Turns, from: number): DescribedEntity {
  const at = entity.turns.map((number) => number - 1).filter((turn) => turns[turn] !== undefined);
  const description = at.flatMap((turn) => sentencesWith(entity.name, turns[turn]!.content)).join(' ');
  return { ...entity, description, turns: at.map((turn) => turn + from) };
}

/** The sentences of a text that have the name; all of it if none has. */
function sentencesWith(name: string, text: string): string[] {
  const found = sentencesOf(text).filter((sentence) => says(sentence, name));
  return found.length === 0 ? [text] : found;
}

/** By turn; none where what was checked is not kept. */
function verifiedTurns(
  turns: Turns,
  { summary }: Pick<CheckedReading, 'summary'>,
  verified: readonly number[],
): boolean[] {
  return turns.map((_, at) => summary !== '' && verified.includes(at + 1));
}

/** The last turns before the unit, as many as Mnemis shows. */
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
