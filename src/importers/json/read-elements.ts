import { FileUnreadableError } from '../../errors/index.ts';
import { breathe } from '../../util/breathe.ts';
import { parseJson } from '../../util/parse-json.ts';
import type { ReadContext } from '../chat-importer.ts';
import type { ImportFile } from '../files/import-file.ts';
import { foreignStart } from '../unreadable.ts';
import { MAX_JSON_BYTES } from './json-format.ts';
import { mendJson } from './mend-json.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN: readonly number[] = [0x5b, 0x7b];
const CLOSE: readonly number[] = [0x5d, 0x7d];
const LIST = 0x5b;
const isSpace = (byte: number) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
const BYTE_ORDER_MARK: readonly number[] = [0xef, 0xbb, 0xbf];

/** An element of a JSON file's list; `number` counts from 1. */
type JsonElement =
  | { readonly number: number; readonly text: string }
  | { readonly number: number; readonly problem: string };

type Stage = 'start' | 'list' | 'single' | 'end' | 'foreign';

/**
 * Splits the bytes of a JSON file into the elements of its list, so that only one is in memory at a time. A file
 * without a list is one element. Scans only brackets and strings of a list; the parser validates the rest.
 */
class JsonElements {
  readonly #maxBytes: number;
  #stage: Stage = 'start';
  #wasList = false;
  #pieces: Uint8Array[] = [];
  #length = 0;
  #depth = 0;
  #inString = false;
  #escaped = false;
  #blank = true;
  #number = 1;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** False once the first significant byte does not start a list or an object. */
  get isJson(): boolean {
    return this.#stage !== 'foreign';
  }

  get hasBegun(): boolean {
    return this.#stage !== 'start';
  }

  get isList(): boolean {
    return this.#wasList;
  }

  *push(chunk: Uint8Array): Generator<JsonElement> {
    let start = 0;
    if (this.#isSingle()) return this.#hold(chunk);
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at]!;
      if (this.#inString) this.#passInString(byte);
      else if (isSpace(byte)) continue;
      else if (this.#stage === 'start') {
        if (this.#begin(byte)) start = this.#wasList || this.#stage === 'start' ? at + 1 : at;
        if (this.#isSingle()) break;
      } else if (this.#stage === 'end') {
        this.#stage = 'foreign';
        yield { number: this.#number, problem: 'more text follows where the file should end' };
      } else if (this.#closes(byte)) {
        const isEnd = byte !== COMMA;
        this.#hold(chunk.subarray(start, at));
        start = at + 1;
        if (isEnd) this.#stage = 'end';
        if (!isEnd || !this.#blank) yield this.#finish();
      }
      if (this.#stage === 'foreign') return;
    }
    if (this.#stage === 'list' || this.#isSingle()) this.#hold(chunk.subarray(start));
  }

  /** The file's one value is not scanned: its parser finds its end. */
  #isSingle(): boolean {
    return this.#stage === 'single';
  }

  #passInString(byte: number): void {
    if (this.#escaped) this.#escaped = false;
    else if (byte === BACKSLASH) this.#escaped = true;
    else if (byte === QUOTE) this.#inString = false;
  }

  /** Whether an element ends before this byte, or with it. */
  #closes(byte: number): boolean {
    if (CLOSE.includes(byte) && --this.#depth === 0) return true;
    if (byte === COMMA && this.#depth === 1) return true;
    this.#blank = false;
    if (byte === QUOTE) this.#inString = true;
    else if (OPEN.includes(byte)) this.#depth++;
    return false;
  }

  /** The one value of a file without a list, or the problem at the end of the file, if any. */
  *end(): Generator<JsonElement> {
    if (this.#stage === 'single') yield this.#finish();
    if (this.#stage === 'list')
      yield { number: this.#number, problem: 'the file ends too early, within or before this one' };
  }

  /** False if the byte cannot start a list or an object. */
  #begin(byte: number): boolean {
    if (BYTE_ORDER_MARK.includes(byte)) return true;
    this.#stage = !OPEN.includes(byte) ? 'foreign' : byte === LIST ? 'list' : 'single';
    this.#wasList = this.#stage === 'list';
    this.#blank = this.#wasList;
    this.#depth = 1;
    return this.#stage !== 'foreign';
  }

  #hold(piece: Uint8Array): void {
    this.#length += piece.length;
    if (this.#length > this.#maxBytes) this.#pieces = [];
    else if (piece.length > 0) this.#pieces.push(piece);
  }

  #finish(): JsonElement {
    const element = this.#read();
    this.#pieces = [];
    this.#length = 0;
    this.#blank = true;
    this.#number++;
    return element;
  }

  #read(): JsonElement {
    const number = this.#number;
    if (this.#length > this.#maxBytes)
      return { number, problem: `is larger than ${Math.floor(this.#maxBytes / 1024 / 1024)} MB` };
    const bytes = this.#pieces.length === 1 ? this.#pieces[0]! : Buffer.concat(this.#pieces);
    const text = this.#stage === 'single' ? decodePart(bytes) : decodeWhole(bytes);
    return text === null ? { number, problem: 'is not UTF-8 text' } : { number, text };
  }
}

function decodeWhole(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** Of this many characters one may be damaged. */
const WHOLE_CHARACTERS = 1000;

/** A file may break off within a character, and a few damaged ones do not spoil the others. */
function decodePart(bytes: Uint8Array): string | null {
  const text = decodeWhole(bytes) ?? new TextDecoder().decode(bytes);
  const damaged = text.split('\ufffd', text.length / WHOLE_CHARACTERS + 3).length - 1;
  return damaged > text.length / WHOLE_CHARACTERS + 1 ? null : text;
}

/**
 * An element of a file's list, counted from 1, or the reason why it is not available. `alone`: the file is this one
 * value, not a list. `broken`: its objects and lists of which something could not be read.
 */
type ReadElement =
  | {
      readonly number: number;
      readonly alone: boolean;
      readonly value: unknown;
      readonly broken: ReadonlySet<object>;
    }
  | { readonly number: number; readonly problem: string };

/** The reasons to reject what is broken: a record, and what would follow the last one. */
export const DAMAGED = 'it is not JSON, or the file breaks off within it';
export const MISSING = 'the file breaks off or is damaged here; what follows in it is missing';

export function isIn(broken: ReadonlySet<object>, value: unknown): boolean {
  return typeof value === 'object' && value !== null && broken.has(value);
}

interface ElementOptions {
  /** Whether a value is returned although something of it is missing. */
  readonly keepsParts?: boolean;
}

/**
 * Streams the elements of a JSON file. A truncated file gives the complete elements before its end. Errors of other
 * programs in writing JSON are mended if nothing is lost by it, and noted.
 *
 * Throws FileUnreadableError if nothing can be read.
 */
export async function* readElements(
  file: ImportFile,
  context: ReadContext,
  { keepsParts = false }: ElementOptions = {},
): AsyncGenerator<ReadElement> {
  const elements = new JsonElements(MAX_JSON_BYTES);
  let [given, mended] = [0, 0];
  for await (const element of cut(file, elements, context)) {
    const parsed = parseElement(element);
    mended += parsed.mended;
    for (const read of readElement(element.number, parsed, { keepsParts, alone: !elements.isList })) {
      if ('problem' in read && given === 0 && (!elements.isList || !elements.isJson))
        throw new FileUnreadableError(context.path, `${context.in(file)}it ${forWhole(read.problem)}`);
      given++;
      yield read;
    }
    await breathe();
  }
  if (mended > 0)
    context.note(
      `${context.in(file)}${mended === 1 ? '1 place that is' : `${mended} places that are`} not JSON, as some programs write it, ${mended === 1 ? 'was' : 'were'} mended`,
    );
}

function forWhole(problem: string): string {
  if (problem.startsWith('is larger')) return `${problem}; export fewer chats, or chat by chat`;
  return problem.startsWith('the file') ? 'ends too early' : problem.replace(/^it /, '');
}

async function* cut(
  file: ImportFile,
  elements: JsonElements,
  context: ReadContext,
): AsyncGenerator<JsonElement> {
  let number = 1;
  let started = false;
  try {
    for await (const chunk of file.open()) {
      context.advance(chunk.length);
      const foreign = started ? null : foreignStart(chunk);
      if (foreign !== null) throw new FileUnreadableError(context.path, `${context.in(file)}${foreign}`);
      started = true;
      for (const element of elements.push(chunk)) {
        number = element.number + 1;
        yield element;
      }
      if (!elements.isJson) break;
    }
  } catch (error) {
    if (number === 1 || !FileUnreadableError.isInstance(error)) throw error;
    yield { number, problem: 'the rest of the file could not be read: it is damaged' };
    return;
  }
  if (!elements.isJson && number === 1)
    throw new FileUnreadableError(context.path, `${context.in(file)}it is not JSON from line 1, column 1 on`);
  if (!elements.hasBegun) throw new FileUnreadableError(context.path, `${context.in(file)}it is empty`);
  yield* elements.end();
}

interface ParsedElement {
  readonly value: unknown;
  readonly broken: ReadonlySet<object>;
  readonly mended: number;
  /** Why something is missing; null if nothing is. */
  readonly problem: string | null;
}

const NONE: ReadonlySet<object> = new Set();

function parseElement(element: JsonElement): ParsedElement {
  if ('problem' in element) return { value: undefined, broken: NONE, mended: 0, problem: element.problem };
  const json = parseJson(element.text);
  if (json.ok) return { value: json.value, broken: NONE, mended: 0, problem: null };
  const { value, broken, end, mended } = mendJson(element.text);
  const isWhole = broken.size === 0 && value !== undefined;
  if (isWhole && end === null) return { value, broken, mended, problem: null };
  if (isWhole) return { value, broken, mended, problem: 'more text follows where the file should end' };
  return { value, broken, mended, problem: json.reason };
}

function* readElement(
  number: number,
  { value, broken, problem }: ParsedElement,
  { alone, keepsParts }: { alone: boolean; keepsParts: boolean },
): Generator<ReadElement> {
  const isPart = keepsParts && alone && typeof value === 'object' && value !== null && hasContent(value);
  if (problem === null || (value !== undefined && (broken.size === 0 || isPart)))
    yield { number, alone, value, broken };
  if (problem !== null && !(broken.size > 0 && isPart)) yield { number, problem };
}

function hasContent(value: object): boolean {
  return Object.values(value).some((each) => typeof each === 'object' && each !== null);
}
