import { ContextTooLongError, MalformedReplyError } from '../../errors/index.ts';
import { stageCalls } from '../../inference/language-model/calling/stage-calls.ts';
import { roughTokens } from '../../inference/language-model/tokens/count-tokens.ts';
import type { LanguageModel, ModelCallOptions } from '../../inference/language-model.ts';
import { shorten, tidy } from '../../util/tidy.ts';
import { type DescribedChild, describeCategories, shownCategory } from './describe-categories-prompt.ts';

export interface CategoryToDescribe {
  readonly name: string;
  /** The most informative first: not all are shown. */
  readonly children: readonly DescribedChild[];
}

const CATEGORIES_PER_CALL = 12;
/** Estimate for names and summaries as shown in the prompt: about twelve full categories. */
const TOKENS_PER_CALL = 3_000;
const LONGEST_SUMMARY = 600;

/** Asks a model to summarize categories from the summaries of their children (Mnemis §2.2). */
export class LlmCategorySummarizer {
  readonly #model: LanguageModel;
  readonly #calls: ModelCallOptions;

  constructor(model: LanguageModel, calls: ModelCallOptions = {}) {
    this.#model = model;
    this.#calls = calls;
  }

  /**
   * Returns one summary per category, in order; null where the model wrote none. Categories without children are not
   * sent.
   *
   * @throws what `LanguageModel.structured` throws, except MalformedReplyError.
   */
  async describe(
    categories: readonly CategoryToDescribe[],
    given: ModelCallOptions = {},
  ): Promise<readonly (string | null)[]> {
    const calls = stageCalls(this.#calls, given);
    const written = new Map<CategoryToDescribe, string>();
    const queue = inCalls(categories.filter(({ children }) => children.length > 0));
    for (let batch = queue.shift(); batch !== undefined; batch = queue.shift()) {
      const isCut = await this.#ask(batch, written, calls);
      const left = batch.filter((category) => !written.has(category));
      if (isCut && batch.length > 1) queue.unshift(...halvesOf(left));
    }
    return categories.map((category) => written.get(category) ?? null);
  }

  /** @returns whether a retry with fewer categories may return more summaries. */
  async #ask(
    batch: readonly CategoryToDescribe[],
    written: Map<CategoryToDescribe, string>,
    calls: ModelCallOptions,
  ): Promise<boolean> {
    try {
      const { value, truncated } = await this.#model.structured(
        describeCategories,
        { categories: batch },
        calls,
      );
      for (const entry of value.summaries) {
        const category = entry === null ? undefined : batch[entry.category - 1];
        const summary = entry === null ? '' : shorten(tidy(entry.summary), LONGEST_SUMMARY);
        if (category !== undefined && summary !== '' && !written.has(category))
          written.set(category, summary);
      }
      return truncated;
    } catch (error) {
      if (ContextTooLongError.isInstance(error) && batch.length > 1) return true;
      if (!MalformedReplyError.isInstance(error)) throw error;
      return error.truncated;
    }
  }
}

function inCalls(categories: readonly CategoryToDescribe[]): CategoryToDescribe[][] {
  const batches: CategoryToDescribe[][] = [];
  let left = 0;
  for (const category of categories) {
    const tokens = shownTokens(category);
    if (batches.length === 0 || tokens > left || batches.at(-1)!.length === CATEGORIES_PER_CALL) {
      batches.push([]);
      left = TOKENS_PER_CALL;
    }
    batches.at(-1)!.push(category);
    left -= tokens;
  }
  return batches;
}

function shownTokens({ name, children }: CategoryToDescribe): number {
  return roughTokens(shownCategory({ name, children }, 0));
}

function halvesOf<Value>(values: readonly Value[]): Value[][] {
  const middle = Math.ceil(values.length / 2);
  return [values.slice(0, middle), values.slice(middle)].filter((half) => half.length > 0);
}
