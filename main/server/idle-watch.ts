/** Calls back once nothing has been under way for a while; what begins meanwhile starts the wait anew. */
export class IdleWatch {
  readonly #milliseconds: number;
  readonly #onIdle: () => void;
  #timer: NodeJS.Timeout | null = null;

  constructor(milliseconds: number, onIdle: () => void) {
    this.#milliseconds = milliseconds;
    this.#onIdle = onIdle;
    this.note(0);
  }

  note(underWay: number): void {
    this.stop();
    if (underWay === 0) this.#timer = setTimeout(this.#onIdle, this.#milliseconds);
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
