import type { z } from 'zod';
import { CancelledError, MalformedReplyError } from '../../../src/errors/index.ts';
import { roughTokens } from '../../../src/inference/language-model/tokens/count-tokens.ts';
import { type ModelUsage, NO_MODEL_USAGE } from '../../../src/inference/language-model/tokens/usage-meter.ts';
import type {
  LanguageModel,
  ModelCallOptions,
  StructuredReply,
  TextCallOptions,
  TextReply,
} from '../../../src/inference/language-model.ts';
import type { Prompt, RenderedPrompt, TextPrompt } from '../../../src/model/prompt.ts';

/** What the model says to a prompt: an object, or text. */
export type FakeReply = (prompt: RenderedPrompt & { readonly name: string }) => unknown;

/** A language model in memory, for tests of what is built upon one: computed replies, checked and counted as real ones. */
export class FakeLanguageModel implements LanguageModel {
  readonly name = 'fake:model';
  readonly contextTokens = null;
  readonly #reply: FakeReply;

  constructor(reply: FakeReply) {
    this.#reply = reply;
  }

  async structured<Input, Output>(
    prompt: Prompt<Input, Output>,
    input: Input,
    options: ModelCallOptions = {},
  ): Promise<StructuredReply<Output>> {
    const { said, usage } = await this.#ask(prompt, input, options);
    const value = this.#fitting(prompt.name, prompt.schema, said);
    return { value, usage, truncated: false, repaired: false, strategy: 'schema', milliseconds: 0 };
  }

  async text<Input>(
    prompt: TextPrompt<Input>,
    input: Input,
    options: TextCallOptions = {},
  ): Promise<TextReply> {
    const { said, usage } = await this.#ask(prompt, input, options);
    const text = String(said);
    for (const piece of text.match(/\S+\s*/g) ?? []) options.onText?.(piece);
    return { text, usage, truncated: false, milliseconds: 0 };
  }

  async countTokens(text: string): Promise<number> {
    return roughTokens(text);
  }

  async #ask<Input>(prompt: TextPrompt<Input>, input: Input, { signal, budget, meter }: ModelCallOptions) {
    const rendered = prompt.render(input);
    const promptTokens = roughTokens(rendered.system) + roughTokens(rendered.user);
    const reservation = await budget?.reserve(promptTokens + (prompt.expectedTokens ?? 256), signal);
    const said = await this.#reply({ ...rendered, name: prompt.name });
    const completionTokens = roughTokens(typeof said === 'string' ? said : JSON.stringify(said));
    const usage: ModelUsage = { ...NO_MODEL_USAGE, calls: 1, promptTokens, completionTokens };
    reservation?.settle(promptTokens + completionTokens);
    if (signal?.aborted) throw new CancelledError('what was done before is kept', signal.reason);
    meter?.record(prompt.name, usage);
    return { said, usage };
  }

  #fitting<Output>(prompt: string, schema: z.ZodType<Output>, said: unknown): Output {
    const parsed = schema.safeParse(said);
    if (parsed.success) return parsed.data;
    const issues = parsed.error.issues.map(({ message }) => message);
    throw new MalformedReplyError({ model: this.name, prompt, issues, truncated: false });
  }
}
