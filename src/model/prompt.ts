import type { z } from 'zod';

/** An image that goes with a prompt. */
export interface PromptImage {
  /** Its media type, such as `image/png`. */
  readonly type: string;
  /** Base64. */
  readonly data: string;
}

/** A rendered prompt, in the two messages that every chat model accepts. */
export interface RenderedPrompt {
  readonly system: string;
  readonly user: string;
  /** Stand in the user's message, before its text; only for models that see. */
  readonly images?: readonly PromptImage[];
}

/** A prompt whose reply is prose. */
export interface TextPrompt<Input> {
  /** Usage is counted under this name: kebab-case, one per stage. */
  readonly name: string;
  /** Incremented whenever the wording or the schema changes. */
  readonly version: number;
  render(input: Input): RenderedPrompt;
  /** The instructions in fewer words, for models of this computer; what changes with the input stands at the end. */
  brief?(input: Input): string;
  /** Typical reply length in tokens; a budget reserves it before a call's actual cost is known. */
  readonly expectedTokens?: number;
}

/** What is wrong with a reply that fits its schema, in words for the model. */
export interface Objection {
  readonly issue: string;
  /** When the reply is used nevertheless: if the next one is not better, if the next one is the same, or never. */
  readonly use: 'else' | 'if-repeated' | 'never';
}

/**
 * A prompt whose reply is JSON. The schema describes an object and should be lenient (a missing list gets a default):
 * a rejected reply costs a second call, and a second rejection loses the reply. Other names that models give a
 * property stand beside it (`alsoCalled` in `src/prompts/reply-parts.ts`).
 */
export interface Prompt<Input, Output> extends TextPrompt<Input> {
  readonly schema: z.ZodType<Output>;
  /** Lists that a reply must have, if only empty: without them it says nothing, and the model is asked again. */
  readonly needs?: readonly string[];
  /**
   * How many entries the prompt shows, numbered from 1, by the property of the reply that holds such numbers. Where a
   * schema is enforced, the reply can name no others.
   */
  shown?(input: Input): Readonly<Record<string, number>>;
  /** Why the model is asked again, once, about a complete reply that fits the schema; null: it is right. */
  objectTo?(output: Output, input: Input): Promise<Objection | null> | Objection | null;
}
