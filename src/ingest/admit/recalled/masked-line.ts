import type { Milliseconds } from '../../../model/ids.ts';
import type { Steps } from '../../../util/breathe.ts';
import type { RecalledSource, RecalledTexts } from '../recalled-texts.ts';
import { decorationLength, labelLength, startsWithSpeaker } from './decoration.ts';
import { CITATION, countWords, normalWords, readWords } from './normal-form.ts';
import { type Piece, splitPieces } from './split-pieces.ts';

export interface LineOptions {
  readonly texts: RecalledTexts;
  /** When the turn was stored: what memory has held since later, it did not give out. */
  readonly before: Milliseconds;
  /** What counts in lines that do not look pasted. */
  readonly plain: readonly RecalledSource[];
  /** It follows a pasted line of the same turn. */
  readonly continues: boolean;
}

/** Shorter ones are said by everybody; they count only beside a longer one. */
const FEWEST_WORDS = 4;
/** What is looked at for the sign of a cut. */
const ENDING = 20;
const ENDS_AN_ITEM = /^[\s"'”’»)]*(?:$|\[\d{1,3}\])/;
const CUT_OFF = /(?:…|\.{3})[^\p{L}\p{N}]*$/u;

interface Part {
  readonly start: number;
  readonly end: number;
  readonly words: number;
  readonly isHeld: boolean;
  readonly isCutOff: boolean;
  isRecalled: boolean;
}
interface Reading {
  readonly decoration: number;
  /** Whether it ends its line, and the line looks printed. */
  readonly mayBeCut: boolean;
}

/** One line of a turn, and which of its sentences came from memory. */
export class MaskedLine {
  readonly text: string;
  /** Whether it looks as if it were printed by memory: numbered, cited, dated or with a speaker before it. */
  readonly isPasted: boolean;
  readonly isBlank: boolean;
  readonly #options: LineOptions;
  readonly #decoration: number;
  #parts: Part[] = [];

  static *read(text: string, options: LineOptions): Steps<MaskedLine> {
    const line = new MaskedLine(text, options);
    yield* line.#read();
    return line;
  }

  private constructor(text: string, options: LineOptions) {
    this.text = text;
    this.#options = options;
    this.isBlank = text.trim() === '';
    this.#decoration = this.isBlank ? 0 : decorationLength(text);
    this.isPasted =
      !this.isBlank &&
      (options.continues || this.#decoration > 0 || startsWithSpeaker(text) || text.search(CITATION) >= 0);
  }

  get words(): number {
    return this.#parts.reduce((total, { words }) => total + words, 0);
  }

  get recalledWords(): number {
    return this.#parts.reduce((total, { words, isRecalled }) => total + (isRecalled ? words : 0), 0);
  }

  get hasRecalled(): boolean {
    return this.#parts.some(({ isRecalled }) => isRecalled);
  }

  get isWhollyRecalled(): boolean {
    return this.#parts.every(({ isRecalled }) => isRecalled);
  }

  /** Whether it is held but too short to count by itself. */
  get needsCompany(): boolean {
    const [whole] = this.#parts;
    return this.#parts.length === 1 && !whole!.isRecalled && whole!.isHeld;
  }

  drop(): void {
    for (const part of this.#parts) part.isRecalled = true;
  }

  /** What did not come from memory. */
  left(): string {
    if (!this.hasRecalled) return this.text;
    return this.#parts
      .filter(({ isRecalled }) => !isRecalled)
      .map(({ start, end }) => this.text.slice(start, end))
      .join('')
      .trim();
  }

  *#read(): Steps<void> {
    const decoration = this.#decoration;
    const whole = yield* this.#readPart({ start: 0, end: this.text.length }, { decoration, mayBeCut: false });
    if (this.#options.continues) whole.isRecalled = whole.isHeld;
    this.#parts =
      whole.isRecalled || whole.words < FEWEST_WORDS ? [whole] : yield* this.#readParts(decoration);
  }

  *#readParts(decoration: number): Steps<Part[]> {
    const parts: Part[] = [];
    for (const { start, end } of splitPieces(this.text.slice(decoration), { abbreviations: true })) {
      const after = end + decoration;
      const mayBeCut = this.isPasted && ENDS_AN_ITEM.test(this.text.slice(after, after + ENDING));
      const part =
        parts.length === 0
          ? this.#readPart({ start: 0, end: after }, { decoration, mayBeCut })
          : this.#readPart({ start: start + decoration, end: after }, { decoration: 0, mayBeCut });
      parts.push(yield* part);
      yield;
    }
    if (parts.some(({ isRecalled }) => isRecalled)) this.#addCompany(parts);
    return parts;
  }

  *#readPart({ start, end }: Piece, { decoration, mayBeCut }: Reading): Steps<Part> {
    const text = this.text.slice(start, end);
    const allWords = this.isBlank ? [] : yield* readWords(text);
    const words = countWords(allWords);
    const isCutOff = mayBeCut && CUT_OFF.test(text.slice(-ENDING));
    const isHeld = words > 0 && this.#isHeld(text, allWords, { decoration, isCutOff });
    return { start, end, words, isHeld, isCutOff, isRecalled: isHeld && words >= FEWEST_WORDS };
  }

  /** Beside a recalled sentence: short ones that are held too, citations, its speaker, the end of one that was cut off. */
  #addCompany(parts: readonly Part[]): void {
    for (const [at, part] of parts.entries()) {
      if (part.isRecalled) continue;
      const [follows, precedes] = [parts[at - 1]?.isRecalled === true, parts[at + 1]?.isRecalled === true];
      if (part.words === 0) part.isRecalled = follows || (at === 0 && precedes);
      else if (part.words < FEWEST_WORDS)
        part.isRecalled = part.isHeld || (precedes && this.#isSpeaker(part));
      if (follows && part.isCutOff) part.isRecalled = true;
    }
  }

  #isSpeaker({ start, end }: Part): boolean {
    return /[:：][^\p{L}\p{N}]{0,5}$/u.test(this.text.slice(start, end));
  }

  /** Whether a text is held as it stands, without the decoration before it, or without a speaker too. */
  #isHeld(
    text: string,
    allWords: readonly string[],
    { decoration, isCutOff }: { readonly decoration: number; readonly isCutOff: boolean },
  ): boolean {
    const bare = text.slice(decoration);
    const label = labelLength(bare);
    const readings = [allWords];
    if (decoration > 0) readings.push(normalWords(bare));
    if (label > 0) readings.push(normalWords(bare.slice(label)));
    const sources = this.#sources(label > 0 && startsWithSpeaker(bare));
    return readings.some((words) => sources.some((source) => this.#holds(source, words, isCutOff)));
  }

  #holds(source: RecalledSource, words: readonly string[], isCut: boolean): boolean {
    const { texts, before } = this.#options;
    // The last word of what was cut off may be half a word.
    return (
      texts.has(source, words, before) || (isCut && texts.hasOpening(source, words.slice(0, -1), before))
    );
  }

  #sources(hasLabel: boolean): readonly RecalledSource[] {
    if (this.isPasted || hasLabel) return ['written', 'said'];
    return this.#options.plain;
  }
}
