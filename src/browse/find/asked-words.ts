import { analyze, fold } from '../../search/analyzer.ts';
import { escaped } from '../../util/escaped.ts';

/** A word of a query: index terms of which a text needs one. */
export interface AskedWord {
  readonly terms: readonly string[];
  /** Of the last word, which may be unfinished: texts may go on with it. */
  readonly start: string | null;
}

const WORD = /[\p{L}\p{N}\p{M}]+(?:['’][\p{L}]+)?/gu;
/** Longer queries are read up to here, in words and in characters, and of longer texts only this much is looked at. */
const [MOST_WORDS, LONGEST_QUERY, LONGEST_TEXT] = [24, 2_000, 20_000];
/** Characters of a part of a text that a list shows, and those of them before the first match. */
const [SHOWN, BEFORE] = [150, 40];
const [START, END] = ['\u0001', '\u0002'];

/** A query as a search for words reads it. */
export class AskedWords {
  /** Words that say something; where there are none, all of them. */
  readonly words: readonly AskedWord[];
  readonly #exact: RegExp | null;
  readonly #terms: ReadonlySet<string>;
  readonly #start: string | null;

  /** @param continued Terms of the index that begin with the unfinished last word. */
  constructor(typed: string, continued: (start: string) => readonly string[]) {
    const query = typed.slice(0, LONGEST_QUERY).toWellFormed();
    const said = (query.match(WORD) ?? []).slice(0, MOST_WORDS);
    const last = /[\p{L}\p{N}\p{M}]$/u.test(query) ? (said.at(-1) ?? null) : null;
    const start = last === null ? null : fold(last);
    const asked = said.map((word, at): AskedWord & { readonly isStop: boolean } => {
      const terms = analyze(word);
      const isLast = at === said.length - 1 && start !== null;
      // A stop word is a term of its own where it stands alone.
      const isStop = terms.length > 0 && analyze(`${word} xylograph`).length === 1;
      const more = isLast && start.length > 1 ? continued(start) : [];
      return { terms: [...new Set([...terms, ...more])], start: isLast ? start : null, isStop };
    });
    const telling = asked.filter(({ isStop }) => !isStop);
    this.words = telling.length > 0 ? telling : asked;
    this.#terms = new Set(this.words.flatMap(({ terms }) => terms));
    this.#start = this.words.at(-1)?.start ?? null;
    this.#exact =
      said.length === 0
        ? null
        : new RegExp(
            `(?<![\\p{L}\\p{N}])${said.map((word) => escaped(plain(word))).join('[^\\p{L}\\p{N}]{1,8}')}${start === null ? '(?![\\p{L}\\p{N}])' : ''}`,
            'iu',
          );
  }

  /** Where the words of the query stand in a row, as they were typed; −1 for nowhere. */
  placeIn(text: string): number {
    return this.#exact === null ? -1 : plain(text.slice(0, LONGEST_TEXT)).search(this.#exact);
  }

  /** How many of the words are in the text. */
  countIn(text: string): number {
    const found = new Set<AskedWord>();
    for (const [word] of text.slice(0, LONGEST_TEXT).matchAll(WORD))
      for (const asked of this.words) if (!found.has(asked) && this.#says(asked, word)) found.add(asked);
    return found.size;
  }

  /** Whether a name may have all of the words, of which one may be in an irregular form; costs little. */
  mayBeIn(name: string): boolean {
    const plainly = plain(name).toLowerCase();
    return this.words.some(({ terms, start }) =>
      [...terms, ...(start === null ? [] : [start])].some((term) => plainly.includes(term.slice(0, 2))),
    );
  }

  /** The part of a text around the first match, on one line, with its matches between U+0001 and U+0002. */
  partOf(text: string): string {
    const exact = this.placeIn(text);
    const first = exact >= 0 ? exact : this.#firstIn(text);
    const begin = first <= BEFORE ? 0 : wordStart(text, first - BEFORE);
    const part = text.slice(begin, begin + SHOWN).toWellFormed();
    const marked = part.replace(WORD, (word) => (this.#isAsked(word) ? `${START}${word}${END}` : word));
    const line = marked.replace(/\s+/g, ' ').trim();
    return `${begin > 0 ? '…' : ''}${line}${begin + SHOWN < text.length ? '…' : ''}`;
  }

  #firstIn(text: string): number {
    for (const { 0: word, index } of text.slice(0, LONGEST_TEXT).matchAll(WORD))
      if (this.#isAsked(word)) return index;
    return 0;
  }

  #isAsked(word: string): boolean {
    const folded = fold(word);
    if (this.#start !== null && folded.startsWith(this.#start)) return true;
    return analyze(folded).some((term) => this.#terms.has(term));
  }

  #says({ terms, start }: AskedWord, word: string): boolean {
    const folded = fold(word);
    if (start !== null && folded.startsWith(start)) return true;
    return analyze(folded).some((term) => terms.includes(term));
  }
}

/** Without the accents of Latin letters; each character stays in its place. */
const plain = (text: string): string =>
  text.replace(/[\u00c0-\u024f]/g, (letter) => letter.normalize('NFD')[0]!);

function wordStart(text: string, from: number): number {
  const space = text.indexOf(' ', from);
  return space < 0 || space > from + BEFORE ? from : space + 1;
}
