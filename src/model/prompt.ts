import type { z } from 'zod';

/** A rendered prompt, in the two messages that every chat model accepts. */
export interface RenderedPrompt {
  readonly system: string;
  readonly user: string;
}

/** A prompt whose reply is prose. */
export interface TextPrompt<Input> {
  /** Usage is counted under this name: kebab-case, one per stage. */
  readonly name: string;
  /** Incremented whenever the wording or the schema changes. */
  readonly version: number;
  render(input: Input): RenderedPrompt;
  /** Typical reply length in tokens; a budget reserves it before a call's actual cost is known. */
  readonly expectedTokens?: number;
}

/**
 * A prompt whose reply is JSON. The schema describes an object and should be lenient (a missing list gets a default):
 * a rejected reply costs a second call, and a second rejection loses the reply.
 */
export interface Prompt<Input, Output> extends TextPrompt<Input> {
  readonly schema: z.ZodType<Output>;
}
