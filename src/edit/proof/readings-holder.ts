import { HeldTally, type RemovingHolder } from './text-holder.ts';
import { TextPatterns } from './text-patterns.ts';

/** Readings that can be dropped one by one. */
interface Readings {
  /** By a key. */
  entries(): Iterable<readonly [key: string, texts: Iterable<string>]>;
  drop(key: string): void;
}

/** What was read of turns and is kept in memory. A reading with a forgotten text is dropped: reading it again is cheap. */
export function readingsHolder(readings: Readings): RemovingHolder {
  return {
    name: 'kept readings',
    async holds(texts) {
      const tally = new HeldTally();
      for (const [, found] of readings.entries())
        for (const text of found) tally.addFoundIn(text, texts, 'current');
      return tally.all();
    },
    async remove(texts) {
      const patterns = new TextPatterns(texts);
      for (const [key, found] of [...readings.entries()])
        for (const text of found)
          if (patterns.foundIn(text).size > 0) {
            readings.drop(key);
            break;
          }
    },
  };
}
