import { normalWords, type RecalledTexts } from '../../ingest/admit/recalled-texts.ts';
import { HeldTally, type TextHolder } from './text-holder.ts';

const WORD = /[\p{L}\p{M}\p{N}]+/gu;

/** Words that are kept for speed: held is a text whose words are all among them. */
export function wordCacheHolder(words: () => Iterable<string>): TextHolder {
  return {
    name: 'word cache',
    async holds(texts) {
      const known = new Set<string>();
      for (const word of words()) for (const part of word.match(WORD) ?? []) known.add(part);
      const tally = new HeldTally();
      for (const [text, wanted] of texts.entries()) {
        const parts = wanted.match(WORD) ?? [];
        if (parts.length > 0 && parts.every((part) => known.has(part))) tally.add(text, 'words');
      }
      return tally.all();
    },
  };
}

/** The hashes by which memory recognises its own texts; `asked` gives those of a scope that are loaded. */
export function recalledHolder(asked: () => Iterable<Promise<RecalledTexts>>): TextHolder {
  return {
    name: 'recalled texts',
    async holds(texts) {
      const tally = new HeldTally();
      for await (const recalled of asked())
        for (const [text, wanted] of texts.entries())
          for (const source of ['written', 'said'] as const)
            if (recalled.has(source, normalWords(wanted), Number.POSITIVE_INFINITY)) tally.add(text, source);
      return tally.all();
    },
  };
}
