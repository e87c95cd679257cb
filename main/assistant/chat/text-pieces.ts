const PAUSE_MILLISECONDS = 30;

/** Joins small pieces of a streamed text, so that a window gets a few dozen a second at most. */
export class TextPieces {
  readonly #show: (piece: string) => void;
  #waiting = '';
  #timer: NodeJS.Timeout | null = null;
  /** The whole text so far. */
  text = '';

  constructor(show: (piece: string) => void) {
    this.#show = show;
  }

  add(piece: string): void {
    this.text += piece;
    this.#waiting += piece;
    this.#timer ??= setTimeout(() => this.flush(), PAUSE_MILLISECONDS);
  }

  /** Shows what waits. */
  flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const piece = this.#waiting;
    this.#waiting = '';
    if (piece !== '') this.#show(piece);
  }
}
