import { entityKey } from './local/entity-key.ts';

/** A name as it is written, and what it names. */
interface Named {
  readonly name: string;
  readonly kind?: string | undefined;
}

const THE = /^the (?=\S)/i;
const CAPITALS = /^\p{Lu}{2,}$/u;

/**
 * Tells a proper name from a common noun of the same letters: "Apple" from "an apple", "Mark" from "a mark", and a
 * river, which has an article, from a firm: "the Amazon" from "Amazon". Only a word that is also a common noun has two
 * senses: "LinkedIn" and "linkedin" are one name. Capitals that all letters have prove nothing.
 */
export class NameSenses {
  readonly #isCommon: (word: string) => boolean;

  /** @param isCommon Whether a word in lower case is a common noun. */
  constructor(isCommon: (word: string) => boolean) {
    this.#isCommon = isCommon;
  }

  /** As `entityKey`, but another key for each sense. */
  keyOf(name: string): string {
    const key = entityKey(name);
    const sense = this.#senseOf({ name });
    return sense === 'proper' || sense === 'with article' ? `${key} (${sense})` : key;
  }

  /** Whether two names with the same letters are of two senses. */
  areApart(one: Named, other: Named): boolean {
    if (one.name === other.name) return false;
    const [a, b] = [this.#senseOf(one), this.#senseOf(other)];
    if (a === null || b === null || a === b || entityKey(one.name) !== entityKey(other.name)) return false;
    // The article of a place may be left out.
    const bare = a === 'with article' ? other : one;
    return a === 'common' || b === 'common' || bare.kind !== 'place';
  }

  /** Null for names that have one sense, whose sense is not shown, or that are too long to be compared. */
  #senseOf({ name, kind }: Named): 'common' | 'proper' | 'with article' | null {
    if (name.length > LONGEST) return null;
    const word = name.replace(THE, '');
    if (/[^\p{L}\p{M}'’]/u.test(word) || CAPITALS.test(word) || !this.#isCommon(word.toLowerCase()))
      return null;
    if (!/\p{Lu}/u.test(word)) return kind === 'person' ? null : 'common';
    if (word === name) return 'proper';
    // "The Hobbit" is a title.
    return name.startsWith('the ') ? 'with article' : null;
  }
}

const LONGEST = 40;
