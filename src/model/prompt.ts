import type { z } from 'zod';

/** What a model is asked, in the two parts that every chat model knows. */
export interface RenderedPrompt {
  readonly system: string;
  readonly user: string;
}

/** A question that is answered in prose. */
export interface TextPrompt<Input> {
  /** Usage is counted under this name: kebab-case, one per stage. */
  readonly name: string;
  /** Raised whenever the wording or the schema changes. */
  readonly version: number;
  render(input: Input): RenderedPrompt;
  /** Length of a usual reply, in tokens; what a budget sets aside for a call before its cost is known. */
  readonly expectedTokens?: number;
}

/**
 * A question that is answered in JSON. The schema is an object's; it should be lenient (a list that may be
 * missing has a default), because what it refuses costs one more call and then the whole reply.
 */
export interface Prompt<Input, Output> extends TextPrompt<Input> {
  readonly schema: z.ZodType<Output>;
}
