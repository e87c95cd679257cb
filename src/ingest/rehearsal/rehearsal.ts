import type { TextPrompt } from '../../model/prompt.ts';
import type { PromptTurn } from '../../prompts/render-turns.ts';
import type { TurnToRead } from '../extractor.ts';
import { LocalSegmentReader } from '../segment/local-segment-reader.ts';
import type { CheckedReading } from '../segment-reading.ts';

/** What a model might say: an object in the form of the prompt's schema, or prose. */
export type RehearsedReply = (input: never, signal: AbortSignal) => Promise<unknown>;

/** A prompt and a stand-in for its replies. */
export interface Rehearsal {
  readonly prompt: string;
  readonly reply: RehearsedReply;
}

export function rehearsal<Input>(
  prompt: TextPrompt<Input>,
  reply: (input: Input, signal: AbortSignal) => Promise<unknown>,
): Rehearsal {
  return { prompt: prompt.name, reply: reply as RehearsedReply };
}

/** Later ones take the place of earlier ones. */
export function rehearsalTable(rehearsals: readonly Rehearsal[]): ReadonlyMap<string, RehearsedReply> {
  return new Map(rehearsals.map(({ prompt, reply }) => [prompt, reply]));
}

/** Reads turns as prompts show them. */
export class ShownReader {
  readonly #reader: LocalSegmentReader;

  constructor(options: { readonly gate: boolean }) {
    this.#reader = new LocalSegmentReader(options);
  }

  async read(
    segments: readonly (readonly PromptTurn[])[],
    signal: AbortSignal,
  ): Promise<readonly CheckedReading[]> {
    return this.#reader.read(
      segments.map((turns) => turns.map(shownTurn)),
      { known: () => false, signal },
    );
  }

  async readOne(turns: readonly PromptTurn[], signal: AbortSignal): Promise<CheckedReading> {
    return (await this.read([turns], signal))[0]!;
  }
}

export function shownTurn({ at, ...turn }: PromptTurn): TurnToRead {
  return { ...turn, validAt: at };
}

/** Positions from 0 as the numbers of a prompt. */
export function numbered(positions: readonly number[], before = 0): number[] {
  return positions.map((at) => at + before + 1);
}
