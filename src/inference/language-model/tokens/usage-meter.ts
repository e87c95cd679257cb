import type { Usage } from '../../../model/retrieved-item.ts';
import { addDropped, type Dropped } from '../reading/drop-log.ts';

/** The cost of requests to a model. */
export interface ModelUsage extends Usage {
  /** Requests that the server refused or lost, with no cost or none that it reported. */
  readonly failedCalls: number;
  /** The part of `promptTokens` that the provider had cached. */
  readonly cachedPromptTokens: number;
  /** Part of it was counted here, because the provider did not report it. */
  readonly estimated: boolean;
}

export const NO_MODEL_USAGE: ModelUsage = Object.freeze({
  calls: 0,
  failedCalls: 0,
  promptTokens: 0,
  completionTokens: 0,
  cachedPromptTokens: 0,
  estimated: false,
});

/** One request that ended without a reply and without a cost. */
export const FAILED_CALL: ModelUsage = Object.freeze({ ...NO_MODEL_USAGE, failedCalls: 1 });

export function addUsage(a: ModelUsage, b: ModelUsage): ModelUsage {
  return {
    calls: a.calls + b.calls,
    failedCalls: a.failedCalls + b.failedCalls,
    promptTokens: a.promptTokens + b.promptTokens,
    completionTokens: a.completionTokens + b.completionTokens,
    cachedPromptTokens: a.cachedPromptTokens + b.cachedPromptTokens,
    estimated: a.estimated || b.estimated,
  };
}

/**
 * Adds up the cost of a piece of work by prompt, and what of the replies was not used; pass one to every call of the
 * work.
 */
export class UsageMeter {
  readonly #byPrompt = new Map<string, ModelUsage>();
  #dropped: readonly Dropped[] = [];

  /** Adds one request under the name of its prompt. Language models call it, for requests that failed too. */
  record(prompt: string, usage: ModelUsage): void {
    this.#byPrompt.set(prompt, addUsage(this.#byPrompt.get(prompt) ?? NO_MODEL_USAGE, usage));
  }

  /** Adds what a stage did not use of its replies. Returns the same. */
  recordDropped(dropped: readonly Dropped[]): readonly Dropped[] {
    this.#dropped = addDropped(this.#dropped, dropped);
    return dropped;
  }

  /** What was not used of the replies so far, by kind and reason. */
  get dropped(): readonly Dropped[] {
    return this.#dropped;
  }

  get total(): ModelUsage {
    return [...this.#byPrompt.values()].reduce(addUsage, NO_MODEL_USAGE);
  }

  /** The sums so far by the name of the prompt, as a copy: later requests do not change it. */
  byPrompt(): ReadonlyMap<string, ModelUsage> {
    return new Map(this.#byPrompt);
  }
}
