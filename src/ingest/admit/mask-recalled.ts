import type { Milliseconds } from '../../model/ids.ts';
import type { Role } from '../../model/nodes.ts';
import { atOnce, type Breather, gradually, type Steps } from '../../util/breathe.ts';
import {
  CITATION,
  countWords,
  normalWords,
  type Piece,
  type RecalledSource,
  type RecalledTexts,
  readWords,
  splitPieces,
} from './recalled-texts.ts';

/** What stands before the text of a list item: bullets, numbers, "[1]". */
const MARKER = /^\s*(?:[-*•‣◦>#+–—]+\s+|\(?\d{1,3}[.)]\s+|\[\d{1,3}\]:?\s*)/;
const DATE =
  /^\s*[([]?(?:\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?Z?)?|\d{1,2} \p{L}{3,12},? \d{4}|\p{L}{3,12} \d{1,2},? \d{4})[)\]]?\s*(?:[-–—:,;]\s*)?(?=\S)/u;
/** "Gina:", "Gina (person, dancer):", "[photo:". */
const LABEL = /^[^:：\n]{1,120}(?::\s+|：\s*)/u;
/** As a speaker or an entity is named, rather than "Here is what I thought of it:". */
const SPEAKER = /^\s*[\p{L}\p{N}][^:：.!?,;()\n“”"]{0,40}(?:\([^()\n]{1,100}\))?\s?(?::\s+|：)/u;
const MOST_MARKERS = 4;

/** How long the markers and the date at a line's start are; 0 without them. */
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

/** How long "Speaker: " at a text's start is; 0 without it. */
function labelLength(text: string): number {
  return LABEL.exec(text.slice(0, 140))?.[0].length ?? 0;
}

/** Whether it is a name or an entity with its tags that stands before a colon, as memory prints them. */
function startsWithSpeaker(text: string): boolean {
  const name = SPEAKER.exec(text.slice(0, 160))?.[0];
  return name !== undefined && name.split('(')[0]!.trim().split(/\s+/).length <= 4;
}

interface LineOptions {
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
class MaskedLine {
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

/** Lines that the command line prints around what it found; they say nothing by themselves. */
const REASON =
  /^\s*(?:\[\d{1,3}\]\s+(?:episode|fact|entity)(?:, \d{4}-\d{2}-\d{2})?;\s+)?\S{0,60}: [^;]{0,1000}; score -?\d{1,6}(?:\.\d{1,9})?; from \S/;
const TITLE = /^\s*(?:Episodes|Facts|Entities)\s*$/;
const COUNT = /^\s*\d{1,6} items in \d{1,9}(?:\.\d{1,3})? ms\s*$/;
const TAG = /^\s*<\/?[A-Za-z][\w-]{0,40}>\s*$/;
/** "Here is what I remember:" */
const INTRODUCTION = /^[^\n]{1,160}[:：]\s*$/u;

/** Whether a line only goes with the recalled one above it: why it was found, how many there were. */
function closesRecalled(line: string): boolean {
  return REASON.test(line) || COUNT.test(line) || TAG.test(line);
}

/** Whether a line only announces the recalled one below it. A person's own introduction may be a message. */
function opensRecalled(line: string, { isPerson }: { readonly isPerson: boolean }): boolean {
  return TITLE.test(line) || TAG.test(line) || (!isPerson && INTRODUCTION.test(line));
}

const LINES_OF_A_PASTE = 2;

interface TurnToMask {
  readonly content: string;
  readonly role: Role;
  /** When it was stored. */
  readonly createdAt: Milliseconds;
}
export interface MaskedTurn {
  /** Without the lines and sentences that memory gave out; empty where nothing with a word is left. */
  readonly content: string;
  /** The share of its words that were recalled, from 0 to 1. */
  readonly share: number;
}

/**
 * Takes out of a turn what came from memory itself, so that a fact that is fed back does not become new evidence for
 * itself. For machines every line counts that memory holds. People may well say what a machine has said before: of
 * theirs only lines that look pasted (numbered, cited, dated or with a speaker before them) count, or several of
 * memory's own.
 *
 * Only what memory held before the turn was stored counts. Lines and sentences must agree as a whole and have at least
 * four words; shorter ones count beside recalled ones. Case, white space, punctuation, list markers, "[1]", dates and
 * "Speaker: " before them do not count.
 */
export function maskRecalled(turn: TurnToMask, texts: RecalledTexts): MaskedTurn {
  return atOnce(masked(turn, texts));
}

/** As `maskRecalled`; a long turn lets others in while it is read. */
export function maskGradually(
  turn: TurnToMask,
  texts: RecalledTexts,
  breather: Breather,
): Promise<MaskedTurn> {
  return gradually(masked(turn, texts), breather);
}

function* masked({ content, role, createdAt }: TurnToMask, texts: RecalledTexts): Steps<MaskedTurn> {
  if (texts.size === 0) return { content, share: 0 };
  const isPerson = role === 'user' || role === 'other';
  const read = (plain: readonly RecalledSource[]) => readLines(content, { texts, plain, before: createdAt });
  let lines = yield* read(isPerson ? ['written'] : ['written', 'said']);
  // A person may well say what memory says too; line after line in memory's words is a paste.
  if (isPerson && lines.filter((line) => !line.isBlank && line.isWhollyRecalled).length < LINES_OF_A_PASTE)
    lines = yield* read([]);
  if (!lines.some(({ hasRecalled }) => hasRecalled)) return { content, share: 0 };
  yield;
  dropCompany(lines, isPerson);
  const words = sum(lines.map((line) => line.words));
  const left = words - sum(lines.map((line) => line.recalledWords));
  return left === 0 ? { content: '', share: 1 } : { content: joined(lines), share: 1 - left / words };
}

function* readLines(content: string, options: Omit<LineOptions, 'continues'>): Steps<MaskedLine[]> {
  const lines: MaskedLine[] = [];
  for (const text of content.split('\n')) {
    const above = lines.at(-1);
    // A pasted turn of several lines has its speaker before the first one.
    const continues = above?.isPasted === true && above.isWhollyRecalled;
    lines.push(yield* MaskedLine.read(text, { ...options, continues }));
    yield;
  }
  return lines;
}

/**
 * Takes the lines that go with recalled ones above or below them: short ones that are held, and what frames a list.
 * From above, and then from below, so that a heading over an introduction goes too.
 */
function dropCompany(lines: readonly MaskedLine[], isPerson: boolean): void {
  const filled = lines.filter(({ isBlank }) => !isBlank);
  for (const [at, line] of filled.entries())
    if (filled[at - 1]?.isWhollyRecalled === true && (line.needsCompany || closesRecalled(line.text)))
      line.drop();
  for (let at = filled.length - 2; at >= 0; at -= 1) {
    const line = filled[at]!;
    if (filled[at + 1]!.isWhollyRecalled && (line.needsCompany || opensRecalled(line.text, { isPerson })))
      line.drop();
  }
}

/** Lines of which nothing is left go, and of several blank ones in a row one stays. */
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
