import { LRUCache } from 'lru-cache';
import { TokenCounter } from '../../inference/language-model/tokens/token-counter.ts';

/** All instructions and schemas of ingestion, and some of the texts between them. */
const MOST_TEXTS = 200;

/** Counts a text once: instructions and schemas are most of a short prompt, and the same in every call. */
export class RememberingCounter extends TokenCounter {
  readonly #counter: TokenCounter;
  readonly #counts = new LRUCache<string, number>({ max: MOST_TEXTS });

  constructor(counter: TokenCounter) {
    super();
    this.#counter = counter;
  }

  override async count(text: string): Promise<number> {
    const known = this.#counts.get(text);
    if (known !== undefined) return known;
    const tokens = await this.#counter.count(text);
    this.#counts.set(text, tokens);
    return tokens;
  }
}
