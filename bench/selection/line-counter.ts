import { TokenCounter } from '../../src/inference/language-model/tokens/count-tokens.ts';

/** Lists share most of their lines; the vocabulary never joins what a line's end parts. */
export class LineCounter extends TokenCounter {
  readonly #lines = new Map<string, number>();

  override async count(text: string): Promise<number> {
    let tokens = 0;
    for (const line of text.match(/[^\n]*\n+|[^\n]+$/g) ?? []) {
      const known = this.#lines.get(line) ?? (await super.count(line));
      this.#lines.set(line, known);
      tokens += known;
    }
    return tokens;
  }
}
