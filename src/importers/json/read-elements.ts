import { FileUnreadableError } from '../../errors/index.ts';
import { breathe } from '../../util/breathe.ts';
import { parseJson } from '../../util/parse-json.ts';
import type { ReadContext } from '../chat-importer.ts';
import type { ImportFile } from '../files/import-file.ts';
import { foreignStart } from '../unreadable.ts';
import { MAX_JSON_BYTES } from './json-format.ts';

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
 * without a list is one element. Scans only brackets and strings; the parser validates the rest.
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
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at]!;
      if (this.#inString) this.#passInString(byte);
      else if (isSpace(byte)) continue;
      else if (this.#stage === 'start') {
        if (this.#begin(byte)) start = this.#wasList || this.#stage === 'start' ? at + 1 : at;
      } else if (this.#stage === 'end') {
        this.#stage = 'foreign';
        yield { number: this.#number, problem: 'more text follows where the file should end' };
      } else if (this.#closes(byte)) {
        const isEnd = byte !== COMMA;
        this.#hold(chunk.subarray(start, isEnd && !this.#wasList ? at + 1 : at));
        start = at + 1;
        if (isEnd) this.#stage = 'end';
        if (!isEnd || !this.#blank) yield this.#finish();
      }
      if (this.#stage === 'foreign') return;
    }
    if (this.#stage === 'list' || this.#stage === 'single') this.#hold(chunk.subarray(start));
  }

  #passInString(byte: number): void {
    if (this.#escaped) this.#escaped = false;
    else if (byte === BACKSLASH) this.#escaped = true;
    else if (byte === QUOTE) this.#inString = false;
  }

  /** Whether an element ends before this byte, or with it. */
  #closes(byte: number): boolean {
    if (CLOSE.includes(byte) && --this.#depth === 0) return true;
    if (byte === COMMA && this.#depth === 1 && this.#wasList) return true;
    this.#blank = false;
    if (byte === QUOTE) this.#inString = true;
    else if (OPEN.includes(byte)) this.#depth++;
    return false;
  }

  /** The problem at the end of the file, if any. */
  *end(): Generator<JsonElement> {
    if (this.#stage === 'list' || this.#stage === 'single')
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
    try {
      const bytes = this.#pieces.length === 1 ? this.#pieces[0] : Buffer.concat(this.#pieces);
      return { number, text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
    } catch {
      return { number, problem: 'is not UTF-8 text' };
    }
  }
}

/**
 * An element of a file's list, counted from 1, or the reason why it is not available. `alone`: the file is this one
 * value, not a list.
 */
type ReadElement =
  | { readonly number: number; readonly alone: boolean; readonly value: unknown }
  | { readonly number: number; readonly problem: string };

/**
 * Streams the elements of a JSON file. A truncated file gives the complete elements before its end.
 *
 * Throws FileUnreadableError if nothing can be read.
 */
export async function* readElements(file: ImportFile, context: ReadContext): AsyncGenerator<ReadElement> {
  const elements = new JsonElements(MAX_JSON_BYTES);
  let given = 0;
  for await (const element of cut(file, elements, context)) {
    const read = readElement(element, elements.isList);
    if ('problem' in read && given === 0 && (!elements.isList || !elements.isJson))
      throw new FileUnreadableError(context.path, `${context.in(file)}it ${forWhole(read.problem)}`);
    given++;
    yield read;
    await breathe();
  }
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

function readElement(element: JsonElement, isList: boolean): ReadElement {
  if ('problem' in element) return element;
  const json = parseJson(element.text);
  if (json.ok) return { number: element.number, alone: !isList, value: json.value };
  return { number: element.number, problem: json.reason };
}
