import { newToken } from '../loopback-access.ts';

export const CODE_MILLISECONDS = 60_000;
/** More cannot wait at once; the oldest becomes invalid. */
const MOST_CODES = 100;

/** One-time codes in links. A page exchanges its code for the token, so that no link and no file holds the token. */
export class LaunchCodes {
  readonly #clock: () => number;
  /** When each code becomes invalid, the oldest first. */
  readonly #codes = new Map<string, number>();

  constructor(clock: () => number = Date.now) {
    this.#clock = clock;
  }

  issue(): string {
    this.#drop((_, ends) => ends <= this.#clock());
    if (this.#codes.size >= MOST_CODES) this.#codes.delete(this.#codes.keys().next().value!);
    const code = newToken();
    this.#codes.set(code, this.#clock() + CODE_MILLISECONDS);
    return code;
  }

  /** Whether the code is valid; afterwards it is not. The codes are random, so that a lookup in a map tells nothing. */
  redeem(code: string): boolean {
    const ends = this.#codes.get(code);
    this.#codes.delete(code);
    return ends !== undefined && this.#clock() < ends;
  }

  #drop(isOver: (code: string, ends: number) => boolean): void {
    for (const [code, ends] of this.#codes) if (isOver(code, ends)) this.#codes.delete(code);
  }
}
