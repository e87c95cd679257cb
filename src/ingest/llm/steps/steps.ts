import type { LanguageModel, ModelCallOptions } from '../../../inference/language-model.ts';
import type { Prompt } from '../../../model/prompt.ts';
import type { PromptTurn } from '../../../prompts/render-turns.ts';
import type { TurnToRead } from '../../extractor.ts';
import type { DropLog } from '../drop-log.ts';
import type { SegmentReply } from '../split-reply.ts';

export interface StepOptions {
  readonly model: LanguageModel;
  readonly calls: ModelCallOptions;
  readonly log: DropLog;
  /** Turns just before those that are read, the oldest first. */
  readonly recent: readonly PromptTurn[];
  /** Whether the way of a paper takes its gate, and its reflection. */
  readonly gate: boolean;
  readonly reflection: boolean;
}

/** The calls for one segment, one after another. */
export class Steps {
  readonly options: StepOptions;
  #truncated = false;

  constructor(options: StepOptions) {
    this.options = options;
  }

  /** Whether a reply was cut short, so that something is missing. */
  get truncated(): boolean {
    return this.#truncated;
  }

  /** @throws what `LanguageModel.structured` throws. */
  async ask<Input, Output>(prompt: Prompt<Input, Output>, input: Input): Promise<Output> {
    const { model, calls } = this.options;
    const { value, truncated } = await model.structured(prompt, input, calls);
    this.#truncated ||= truncated;
    return value;
  }
}

/** Reads one segment the way of one paper. Its turns are numbered from 1 in the reply. */
export type ReadInSteps = (turns: readonly TurnToRead[], steps: Steps) => Promise<SegmentReply>;

export function allTurns(turns: readonly unknown[]): number[] {
  return turns.map((_, at) => at + 1);
}

/** Turns that a reply cites. What is read from a single turn can rest on no other, also where it cites none. */
export function citing<Read extends { readonly turns: number[] }>(
  read: Read,
  turns: readonly unknown[],
): Read {
  return turns.length === 1 && read.turns.length === 0 ? { ...read, turns: [1] } : read;
}
