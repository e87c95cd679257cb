import type { Role } from '../../model/nodes.ts';
import { atOnce, type Breather, gradually, type Steps } from '../../util/breathe.ts';
import type { Span } from '../../util/sentences.ts';
import { FEWEST_RECALLED_WORDS } from './defaults.ts';
import {
  CITATION,
  countWords,
  normalWords,
  type RecalledSource,
  type RecalledTexts,
  readWords,
  type StoredPlace,
  splitPieces,
} from './recalled-texts.ts';

/** List markers at a line's start: bullets, numbers, "[1]". */
const MARKER = /^\s*(?:[-*•‣◦>#+–—]+\s+|\(?\d{1,3}[.)]\s+|\[\d{1,3}\]:?\s*)/;
const DATE =
  /^\s*[([]?(?:\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?Z?)?|\d{1,2} \p{L}{3,12},? \d{4}|\p{L}{3,12} \d{1,2},? \d{4})[)\]]?\s*(?:[-–—:,;]\s*)?(?=\S)/u;
/** "Gina:", "Gina (person, dancer):", "[photo:". */
const LABEL = /^[^:：\n]{1,120}(?::\s+|：\s*)/u;
/** A label as memory prints a speaker or entity; a sentence such as "Here is what I thought of it:" does not match. */
const SPEAKER = /^\s*[\p{L}\p{N}][^:：.!?,;()\n“”"]{0,40}(?:\([^()\n]{1,100}\))?\s?(?::\s+|：)/u;
const MOST_MARKERS = 4;

/** Length of the markers and the date at a line's start; 0 without them. */
function decorationLength(line: string): number {
  let length = 0;
  for (let count = 0; count < MOST_MARKERS; count += 1) {
    const marker = MARKER.exec(line.slice(length, length + 80));
    if (marker === null) break;
    length += marker[0].length;
  }
  return length + dateLength(line.slice(length, length + 80));
}

function dateLength(text: string): number {
  return DATE.exec(text)?.[0].length ?? 0;
}

/** Length of "Speaker: " at a text's start; 0 without it. */
function labelLength(text: string): number {
  return LABEL.exec(text.slice(0, 140))?.[0].length ?? 0;
}

/** Whether the text starts with a name, or an entity with its tags, and a colon, as memory prints them. */
function startsWithSpeaker(text: string): boolean {
  const name = SPEAKER.exec(text.slice(0, 160))?.[0];
  return name !== undefined && name.split('(')[0]!.trim().split(/\s+/).length <= 4;
}

interface LineOptions {
  readonly texts: RecalledTexts;
  /** The turn. It cannot repeat texts that memory has held only since later. */
  readonly before: StoredPlace;
  /** Sources that are compared for lines that do not look pasted. */
  readonly plain: readonly RecalledSource[];
  /** Whether it follows a pasted line of the same turn. */
  readonly continues: boolean;
}
/** A truncation mark is searched in this many characters at the end. */
const ENDING = 20;
const ENDS_AN_ITEM = /^[\s"'”’»)]*(?:$|\[\d{1,3}\]|– )/;
/** What held before, in an answer: " (since 2 May 2026; before: Ana lives in Oslo ". */
const FORMER_STATE = /^\s*\(since [^();]{4,40}; before: /;
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
  /** Whether it ends its line and the line looks printed, so that printing may have truncated it. */
  readonly mayBeCut: boolean;
}

/** One line of a turn, with the sentences of it that came from memory. */
class MaskedLine {
  readonly text: string;
  /** Whether the line looks like output of memory: numbered, cited, dated or labelled with a speaker. */
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

  /** Whether memory holds the sentence, but it is too short to count alone. */
  get needsNeighbour(): boolean {
    const [whole] = this.#parts;
    return this.#parts.length === 1 && !whole!.isRecalled && whole!.isHeld;
  }

  drop(): void {
    for (const part of this.#parts) part.isRecalled = true;
  }

  /** Returns the text that did not come from memory. */
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
      whole.isRecalled || whole.words < FEWEST_RECALLED_WORDS ? [whole] : yield* this.#readParts(decoration);
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
    if (parts.some(({ isRecalled }) => isRecalled)) this.#addNeighbours(parts);
    return parts;
  }

  *#readPart({ start, end }: Span, { decoration, mayBeCut }: Reading): Steps<Part> {
    const text = this.text.slice(start, end);
    const allWords = this.isBlank ? [] : yield* readWords(text);
    const words = countWords(allWords);
    const isCutOff = mayBeCut && CUT_OFF.test(text.slice(-ENDING));
    const isHeld = words > 0 && this.#isHeld(text, allWords, { decoration, isCutOff });
    return { start, end, words, isHeld, isCutOff, isRecalled: isHeld && words >= FEWEST_RECALLED_WORDS };
  }

  /**
   * Marks what belongs to recalled sentences next to it: short recalled sentences, citations, the speaker label and
   * the end of a truncated sentence.
   */
  #addNeighbours(parts: readonly Part[]): void {
    for (const [at, part] of parts.entries()) {
      if (part.isRecalled) continue;
      const [follows, precedes] = [parts[at - 1]?.isRecalled === true, parts[at + 1]?.isRecalled === true];
      if (part.words === 0) part.isRecalled = follows || (at === 0 && precedes);
      else if (follows && FORMER_STATE.test(this.text.slice(part.start, part.end))) part.isRecalled = true;
      else if (part.words < FEWEST_RECALLED_WORDS)
        part.isRecalled = part.isHeld || (precedes && this.#isSpeaker(part));
      if (follows && part.isCutOff) part.isRecalled = true;
    }
  }

  #isSpeaker({ start, end }: Part): boolean {
    return /[:：][^\p{L}\p{N}]{0,5}$/u.test(this.text.slice(start, end));
  }

  /** Whether memory holds a text, with or without the decoration and the speaker label before it. */
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
    // Truncation may have cut the last word in half.
    return (
      texts.has(source, words, before) || (isCut && texts.hasOpening(source, words.slice(0, -1), before))
    );
  }

  #sources(hasLabel: boolean): readonly RecalledSource[] {
    if (this.isPasted || hasLabel) return ['written', 'said'];
    return this.#options.plain;
  }
}

/** Lines that the command line prints around search results; they carry no content. */
const REASON =
  /^\s*(?:\[\d{1,3}\]\s+(?:turn|episode|fact|entity)(?:, \d{4}-\d{2}-\d{2})?;\s+)?\S{0,60}: [^;]{0,1000}; score -?\d{1,6}(?:\.\d{1,9})?; from \S/;
/** The same without the reason. */
const SOURCE = /^\s*\[\d{1,3}\]\s+(?:turn|fact|entity)(?:, \d{4}-\d{2}-\d{2})?; from \S/;
const TITLE = /^\s*(?:Turns|Episodes|Facts|Entities)\s*$/;
const COUNT = /^\s*\d{1,6} (?:items|found) in \d{1,9}(?:\.\d{1,3})? ms(?:; \d{1,6} more with --verbose)?\s*$/;
/** The number of a block quotation, or a line of it without words: the end of code, an omission. */
const WORDLESS = /^\s*(?:\[\d{1,3}\]|>\s*(?:```|~~~|…)?)\s*$/;
/** The speaker above a block quotation: "Ana:". */
const SPEAKER_ALONE = /^\s*[\p{L}\p{N}][^:：.!?,;()\n“”"]{0,40}:\s*$/u;
const QUOTED = /^\s*>/;
const TAG = /^\s*<\/?[A-Za-z][\w-]{0,40}>\s*$/;
/** "Here is what I remember:" */
const INTRODUCTION = /^[^\n]{1,160}[:：]\s*$/u;

/** Whether a line only annotates the recalled one above it: why it was found, how many results there were. */
function closesRecalled(line: string): boolean {
  return REASON.test(line) || SOURCE.test(line) || COUNT.test(line) || TAG.test(line) || WORDLESS.test(line);
}

/** Whether a line only introduces the recalled one below it. An introduction that a person wrote may be a message. */
function opensRecalled(line: string, { isPerson }: { readonly isPerson: boolean }): boolean {
  return TITLE.test(line) || TAG.test(line) || (!isPerson && INTRODUCTION.test(line));
}

const LINES_OF_A_PASTE = 2;

interface TurnToMask extends StoredPlace {
  readonly content: string;
  readonly role: Role;
}
export interface MaskedTurn {
  /** The turn's content without the lines and sentences that came from memory; empty if no word remains. */
  readonly content: string;
  /** The share of its words that were recalled, from 0 to 1. */
  readonly share: number;
}

/**
 * Removes text from a turn that came from memory itself, so that a fact that is fed back does not become its own
 * evidence. In turns of machines, every line that memory holds is removed. People may repeat what a machine said
 * before, so in their turns only lines that look pasted (numbered, cited, dated or labelled with a speaker) are
 * removed, or several lines in memory's own words.
 *
 * Only texts that memory stored before the turn count. Lines and sentences must match as a whole and have at
 * least four words; shorter ones count next to recalled ones. Case, white space, punctuation, list markers, "[1]",
 * dates and "Speaker: " before them are ignored.
 */
export function maskRecalled(turn: TurnToMask, texts: RecalledTexts): MaskedTurn {
  return atOnce(masked(turn, texts));
}

/** Like `maskRecalled`, but yields to the event loop while it reads a long turn. */
export function maskGradually(
  turn: TurnToMask,
  texts: RecalledTexts,
  breather: Breather,
): Promise<MaskedTurn> {
  return gradually(masked(turn, texts), breather);
}

function* masked(turn: TurnToMask, texts: RecalledTexts): Steps<MaskedTurn> {
  const { content, role } = turn;
  if (texts.size === 0) return { content, share: 0 };
  const isPerson = role === 'user' || role === 'other';
  const read = (plain: readonly RecalledSource[]) => readLines(content, { texts, plain, before: turn });
  let lines = yield* read(isPerson ? ['written'] : ['written', 'said']);
  // A person may use memory's words once by chance; several such lines in a row are a paste.
  if (isPerson && lines.filter((line) => !line.isBlank && line.isWhollyRecalled).length < LINES_OF_A_PASTE)
    lines = yield* read([]);
  if (!lines.some(({ hasRecalled }) => hasRecalled)) return { content, share: 0 };
  yield;
  dropNeighbours(lines, isPerson);
  const words = sum(lines.map((line) => line.words));
  const left = words - sum(lines.map((line) => line.recalledWords));
  return left === 0 ? { content: '', share: 1 } : { content: joined(lines), share: 1 - left / words };
}

function* readLines(content: string, options: Omit<LineOptions, 'continues'>): Steps<MaskedLine[]> {
  const lines: MaskedLine[] = [];
  for (const text of content.split('\n')) {
    const above = lines.at(-1);
    // In a pasted turn of several lines, only the first line has the speaker label.
    const continues = above?.isPasted === true && above.isWhollyRecalled;
    lines.push(yield* MaskedLine.read(text, { ...options, continues }));
    yield;
  }
  return lines;
}

/**
 * Removes lines that belong to recalled ones above or below: short recalled ones and the frame of a list. Runs
 * downwards, then upwards, so that a heading above an introduction is removed too.
 */
function dropNeighbours(lines: readonly MaskedLine[], isPerson: boolean): void {
  const filled = lines.filter(({ isBlank }) => !isBlank);
  const opens = (line: MaskedLine, below: MaskedLine): boolean =>
    opensRecalled(line.text, { isPerson }) || (QUOTED.test(below.text) && SPEAKER_ALONE.test(line.text));
  for (const [at, line] of filled.entries())
    if (filled[at - 1]?.isWhollyRecalled === true && (line.needsNeighbour || closesRecalled(line.text)))
      line.drop();
  for (let at = filled.length - 2; at >= 0; at -= 1) {
    const line = filled[at]!;
    if (filled[at + 1]!.isWhollyRecalled && (line.needsNeighbour || opens(line, filled[at + 1]!)))
      line.drop();
  }
}

/** Omits lines that became empty, and keeps one of several consecutive blank lines. */
function joined(lines: readonly MaskedLine[]): string {
  const kept: string[] = [];
  for (const line of lines) {
    if (line.isWhollyRecalled && !line.isBlank) continue;
    const text = line.left();
    if (text.trim() === '' && (kept.length === 0 || kept.at(-1)!.trim() === '')) continue;
    kept.push(text);
  }
  return kept.join('\n').trimEnd();
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
