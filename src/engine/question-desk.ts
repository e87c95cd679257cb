import { LRUCache } from 'lru-cache';
import type { QuestionInWork } from './question-in-work.ts';

/** Questions kept; their memory is that of a search result each. */
const MOST = 16;

/**
 * The questions that graph runs work on, by what is asked and how. A run that resumes, replays or forks a thread finds
 * what the nodes before it computed; what is no longer here is computed again.
 */
export class QuestionDesk {
  readonly #questions = new LRUCache<string, Promise<QuestionInWork>>({ max: MOST });

  /** @param begins Whether to start over, with memory as it is now. */
  async open(key: string, begin: () => Promise<QuestionInWork>, begins: boolean): Promise<QuestionInWork> {
    const known = begins ? undefined : this.#questions.get(key);
    if (known !== undefined) return known;
    const begun = begin();
    this.#questions.set(key, begun);
    begun.catch(() => this.#questions.delete(key));
    return begun;
  }

  /** Drops the results, which contain text; part of forgetting. */
  drop(): void {
    this.#questions.clear();
  }
}
