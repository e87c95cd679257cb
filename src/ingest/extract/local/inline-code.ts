import type { Extraction } from '../extractor.ts';

/** Longer code is no part of a sentence. */
const LONGEST = 120;
const SPAN = /(?<!`)(`{1,2})(?!`)([^`\n]+?)\1(?!`)/g;
const FENCE = /```[\s\S]*?(?:```|$)/g;
const LETTERS = 'abcdefghijklmnoprstuvwy';
/** Spans of a unit that have a word of their own; further ones stay. */
const MOST = LETTERS.length ** 2;
/** A word that no language has, in small letters, so that it is read as a common noun. */
const STAND_IN = /qz([a-y]{2})qx/gi;

/** Inline code of a unit of turns. While sentences are read, one word stands for each span, so that none is cut. */
export class InlineCode {
  readonly #spans: string[] = [];

  /** The text with a word for each span; blocks of code stay. */
  hide(text: string): string {
    if (!text.includes('`')) return text;
    const fences = text.match(FENCE) ?? [];
    return text
      .split(FENCE)
      .map((part, at) => part.replace(SPAN, (whole: string) => this.#hidden(whole)) + (fences[at] ?? ''))
      .join('');
  }

  #hidden(span: string): string {
    if (span.length > LONGEST) return span;
    const known = this.#spans.indexOf(span);
    if (known < 0 && this.#spans.length === MOST) return span;
    const at = known >= 0 ? known : this.#spans.push(span) - 1;
    return `qz${LETTERS[Math.floor(at / LETTERS.length)]}${LETTERS[at % LETTERS.length]}qx`;
  }

  /** The facts and entities of the unit with the code as it was written. */
  shownIn(extraction: Extraction): Extraction {
    if (this.#spans.length === 0) return extraction;
    const show = (text: string) => this.#show(text);
    const all = (texts: readonly string[]) => [...new Set(texts.map(show))];
    return {
      entities: extraction.entities.map((each) => ({
        ...each,
        name: bare(show(each.name)),
        aliases: all(each.aliases).map(bare),
      })),
      facts: extraction.facts.map((fact) => ({
        ...fact,
        statement: show(fact.statement),
        subject: fact.subject === null ? null : bare(show(fact.subject)),
        object: fact.object === null ? null : bare(show(fact.object)),
        participants: all(fact.participants).map(bare),
      })),
    };
  }

  #show(text: string): string {
    return text.replace(STAND_IN, (word, letters: string) => {
      const [high, low] = [...letters.toLowerCase()].map((letter) => LETTERS.indexOf(letter));
      return this.#spans[high! * LETTERS.length + low!] ?? word;
    });
  }
}

/** A name without the marks of code. */
const bare = (name: string) => name.replaceAll('`', '').trim() || name;
