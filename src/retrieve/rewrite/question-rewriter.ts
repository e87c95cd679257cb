import { LRUCache } from 'lru-cache';
import { CancelledError, MnemisError } from '../../errors/index.ts';
import { stageCalls } from '../../inference/language-model/calling/stage-calls.ts';
import type { LanguageModel, ModelCallOptions } from '../../inference/language-model.ts';
import type { RewriteTrace } from '../../model/retrieved-item.ts';
import { withinTime } from '../within-time.ts';
import { MOST_WORDINGS, rewriteQuestion } from './rewrite-question-prompt.ts';

/** Questions whose wordings are kept. */
const MOST_KEPT = 500;
/** A search waits no longer for a model. */
const MILLISECONDS = 10_000;
const LONGEST_WORDING = 300;

interface RewriteSettings extends Pick<ModelCallOptions, 'signal' | 'budget'> {
  readonly languageModel: LanguageModel | undefined;
  /** Time limit; at most 10 seconds. */
  readonly milliseconds?: number | undefined;
}

/** Other wordings of questions, by a language model: one call for each question, whose wordings are kept. */
export class QuestionRewriter {
  readonly #kept = new LRUCache<string, readonly string[]>({ max: MOST_KEPT });

  /**
   * The wordings of a question, without any text of memory. If the model fails or takes too long, there are none, and
   * the trace gives the reason.
   *
   * @throws CancelledError
   */
  async rewrite(
    question: string,
    { languageModel: model, milliseconds = MILLISECONDS, ...given }: RewriteSettings,
  ): Promise<RewriteTrace> {
    const started = performance.now();
    const calls = stageCalls({}, given);
    const trace = (wordings: readonly string[], failure: string | null): RewriteTrace => {
      const { calls: count, promptTokens, completionTokens } = calls.meter.total;
      return {
        wordings,
        milliseconds: performance.now() - started,
        failure,
        usage: { calls: count, promptTokens, completionTokens },
      };
    };
    if (model === undefined) return trace([], 'no-model');
    const key = JSON.stringify([model.name, question]);
    const kept = this.#kept.get(key);
    if (kept !== undefined) return trace(kept, null);
    try {
      const ask = (signal: AbortSignal) =>
        model.structured(rewriteQuestion, { question }, { ...calls, signal });
      const time = { signal: given.signal, milliseconds: Math.min(milliseconds, MILLISECONDS) };
      const { value } = await withinTime(ask, time);
      const wordings = usable(value.wordings);
      this.#kept.set(key, wordings);
      return trace(wordings, null);
    } catch (error) {
      if (CancelledError.isInstance(error)) throw error;
      return trace([], MnemisError.isInstance(error) ? error.code : 'unexpected');
    }
  }

  /** Drops the wordings, which contain text; part of forgetting. */
  drop(): void {
    this.#kept.clear();
  }
}

function usable(wordings: readonly string[]): readonly string[] {
  const tidy = wordings.map((each) => each.trim().slice(0, LONGEST_WORDING).toWellFormed());
  return [...new Set(tidy.filter((each) => each !== ''))].slice(0, MOST_WORDINGS);
}
