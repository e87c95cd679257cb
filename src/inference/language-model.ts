import type { Prompt, TextPrompt } from '../model/prompt.ts';
import type { TokenBudget } from './language-model/calling/token-budget.ts';
import type { ModelUsage, UsageMeter } from './language-model/tokens/usage-meter.ts';

/**
 * Ways to make a model answer in a schema, the most reliable first: the server enforces it, a tool takes it, the server
 * enforces JSON of any shape, or the instructions ask for it.
 */
export const STRATEGIES = ['schema', 'tool', 'json', 'plain'] as const;
export type Strategy = (typeof STRATEGIES)[number];

/** Whether the schema goes beside the turns. Else the instructions contain it. */
export const sendsSchema = (strategy: Strategy): boolean => strategy === 'schema' || strategy === 'tool';

/**
 * What goes with a call of a language model. All calls of one piece of work may share a signal, a meter and a budget.
 */
export interface ModelCallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Counts every request of this call under the prompt's name, also when the call fails. */
  readonly meter?: UsageMeter | undefined;
  /** Refuses the call when it would cost more than the rest of the budget. */
  readonly budget?: TokenBudget | undefined;
}

/** A tool that a model may ask for. */
export interface OfferedTool {
  /** Letters, digits, `_` and `-`, at most 64. */
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly input: Readonly<Record<string, unknown>>;
}

/** What a model asks a tool for. */
export interface ToolRequest {
  readonly id: string;
  readonly name: string;
  /** Null if they are no JSON object. */
  readonly arguments: Readonly<Record<string, unknown>> | null;
}

/** A reply that asked for tools, with their results, one for each request. */
export interface ToolRound {
  readonly text: string;
  readonly requests: readonly ToolRequest[];
  readonly results: readonly string[];
}

/** The tools that a request offers, and what came of those that were asked for. */
export interface ToolUse {
  readonly offered: readonly OfferedTool[];
  /** What this reply asked for so far, the oldest first. */
  readonly rounds: readonly ToolRound[];
  /** False: the model is to answer from the results that it has. */
  readonly mayAsk: boolean;
}

/**
 * For replies in prose, which can be shown while they are written. Once a piece was passed on, a failed
 * request is not retried.
 */
export interface TextCallOptions extends ModelCallOptions {
  /** Gets the reply piece by piece as it is written. */
  readonly onText?: ((piece: string) => void) | undefined;
  /** Left out where the model or its server takes no tools. */
  readonly tools?: ToolUse | undefined;
}

/** A reply that fits its prompt's schema, and how it was obtained. */
export interface StructuredReply<Output> {
  readonly value: Output;
  /** The reply was cut short: lists hold complete items only, so ask again with less input. */
  readonly truncated: boolean;
  /** The first reply did not fit the schema, the second one did. */
  readonly repaired: boolean;
  readonly strategy: Strategy;
  /** All requests of this call together, retries and repair included. */
  readonly usage: ModelUsage;
  readonly milliseconds: number;
}

/** A reply in prose, without the reasoning that some models write before it. */
export interface TextReply {
  readonly text: string;
  /** The model reached its token limit before the end of the reply. */
  readonly truncated: boolean;
  /** The model said the same again and again; the text ends where the first repetition began. */
  readonly looped?: boolean | undefined;
  /** Tools that the model asks for before it goes on; none: the reply is whole. */
  readonly requests?: readonly ToolRequest[] | undefined;
  readonly usage: ModelUsage;
  readonly milliseconds: number;
}

/**
 * Answers prompts. Calls may overlap; the model paces them. Implementations pass
 * `test/contract/language-model.ts`.
 *
 * Every method throws, besides what it names: CancelledError when the signal fires, BudgetExhaustedError,
 * ModelUnavailableError (retries did not help), ModelKeyError, ModelQuotaError, UnknownModelError,
 * ContextTooLongError, ModelRequestRefusedError, ModelDeclinedError.
 */
export interface LanguageModel {
  /** Provider and model, such as `ollama:qwen3`. */
  readonly name: string;
  /** Tokens that prompt and reply may have together; null where it is not known. */
  readonly contextTokens: number | null;
  /** Whether `text` takes tools. */
  readonly callsTools?: boolean | undefined;

  /** @throws MalformedReplyError when no reply fits the prompt's schema, also after one repair. */
  structured<Input, Output>(
    prompt: Prompt<Input, Output>,
    input: Input,
    options?: ModelCallOptions,
  ): Promise<StructuredReply<Output>>;

  text<Input>(prompt: TextPrompt<Input>, input: Input, options?: TextCallOptions): Promise<TextReply>;

  /** Exact for OpenAI's present models, near for others. */
  countTokens(text: string): Promise<number>;
}
