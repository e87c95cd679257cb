import type { ScopeSearch } from '../../store/scope-search.ts';
import { wordsOf } from './index-holders.ts';
import { HeldTally, type TextHolder } from './text-holder.ts';

/** The words of turns that a store holds to search a large scope; a holder of words. */
export function largeScopeHolder(search: ScopeSearch): TextHolder {
  return {
    name: 'search tables',
    async holds(texts, { signal } = {}) {
      const tally = new HeldTally();
      for (const [text, words] of wordsOf(texts).entries()) {
        signal?.throwIfAborted();
        const turns = words.size === 0 ? 0 : await search.turnsWithAll([...words]);
        if (turns > 0) tally.add(text, 'words of turns', turns);
      }
      return tally.all();
    },
  };
}
