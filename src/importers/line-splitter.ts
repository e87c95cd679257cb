const LINE_FEED = 0x0a;

/** A line without its end; `number` counts from 1. */
export type Line =
  | { readonly number: number; readonly text: string }
  | { readonly number: number; readonly problem: string };

/** Cuts chunks of bytes into lines. Bytes, not text: a chunk may end within a character. */
export class LineSplitter {
  readonly #maxBytes: number;
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  #pieces: Uint8Array[] = [];
  #length = 0;
  #number = 1;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get nextNumber(): number {
    return this.#number;
  }

  *push(chunk: Uint8Array): Generator<Line> {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      this.#hold(chunk.subarray(start, end));
      yield this.#finish();
      start = end + 1;
    }
    this.#hold(chunk.subarray(start));
  }

  /** The last line, if it lacks its end. */
  *end(): Generator<Line> {
    if (this.#length > 0) yield this.#finish();
  }

  #hold(piece: Uint8Array): void {
    this.#length += piece.length;
    if (this.#length > this.#maxBytes) this.#pieces = [];
    else if (piece.length > 0) this.#pieces.push(piece);
  }

  #finish(): Line {
    const line = this.#read();
    this.#pieces = [];
    this.#length = 0;
    this.#number++;
    return line;
  }

  #read(): Line {
    const number = this.#number;
    if (this.#length > this.#maxBytes) return { number, problem: `is longer than ${this.#maxBytes} bytes` };
    try {
      const text = this.#decoder.decode(
        this.#pieces.length === 1 ? this.#pieces[0] : Buffer.concat(this.#pieces),
      );
      return { number, text: text.endsWith('\r') ? text.slice(0, -1) : text };
    } catch {
      return { number, problem: 'is not UTF-8 text' };
    }
  }
}
