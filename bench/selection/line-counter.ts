import { TokenCounter } from '../../src/inference/language-model/tokens/count-tokens.ts';

/** Caches token counts by line: lists share most lines, and tokens never span a line break. */
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
