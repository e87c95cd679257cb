import type { NounLexicon } from './noun-lexicon.ts';
import type { Speakers } from './speakers.ts';
import type { Tagger } from './tagger.ts';
import { KIN, OPENERS } from './words.ts';

const WHO = `(?:${[...KIN].join('|')}|boy|girl|baby|twins?|gran|nan|grandad|fiance|fiancee|flatmate|landlord|landlady|manager|tutor|physio|therapist|dog|cat)`;
/** "My brother kieran", "a tutor called jonas", "mr pardoe", "my physio, nuno,". */
const NAMED = new RegExp(
  `(?<![\\p{L}'])(?:(?:my|our|his|her|their|\\p{L}+'s) (?:(?:little|big|older|younger|twin|best|new|old|baby) )?(?:mother in law|father in law|sister in law|brother in law|${WHO}),? |(?:is )?(?:called|named) |name(?:'s| is) |(?:mr|mrs|ms|dr|miss|auntie?|uncle) )(\\p{Ll}{3,})(?![\\p{L}'-]{0,1}\\p{L}*n't)`,
  'gu',
);

/** Names that a unit's turns write in lower case, as far as a relative, a title or "called" announces them. */
export class TypedNames {
  readonly #tag: Tagger;
  readonly #lexicon: NounLexicon;
  readonly #names = new Set<string>();
  #pattern: RegExp | null = null;

  readonly #known: (name: string) => boolean;

  constructor(
    { names }: Speakers,
    {
      tag,
      lexicon,
      known,
    }: { readonly tag: Tagger; readonly lexicon: NounLexicon; readonly known: (name: string) => boolean },
  ) {
    this.#tag = tag;
    this.#known = known;
    this.#lexicon = lexicon;
    for (const name of names) this.#add(name.split(' ')[0]!.toLowerCase());
  }

  /** The text with the capitals of the names that it or an earlier one announces. */
  written(text: string): string {
    for (const [, word = ''] of text.matchAll(NAMED)) if (!this.#names.has(word)) this.#add(word);
    for (const [word] of text.matchAll(/(?<![\p{L}\p{N}@.'-])\p{Ll}{3,}(?![\p{L}\p{N}@-])/gu))
      if (!this.#names.has(word) && this.#known(word)) this.#add(word);
    if (this.#names.size === 0) return text;
    this.#pattern ??= new RegExp(
      `(?<![\\p{L}\\p{N}@.'-])(?:${[...this.#names].join('|')})(?![\\p{L}\\p{N}@-])`,
      'gu',
    );
    return text.replace(this.#pattern, (name) => name.charAt(0).toUpperCase() + name.slice(1));
  }

  #add(word: string): void {
    if (!/^\p{Ll}{3,}$/u.test(word) || OPENERS.has(word) || this.#lexicon.isCommon(word)) return;
    const [token] = this.#tag(word);
    if (token === undefined || !['NOUN', 'PROPN', 'X', 'ADJ'].includes(token.pos) || token.lemma !== word)
      return;
    this.#names.add(word);
    this.#pattern = null;
  }
}
