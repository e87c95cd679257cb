import type { Tiktoken } from 'js-tiktoken/lite';
import { Breather } from '../../../util/breathe.ts';

/** The encoder's cost grows with the square of a run's bytes: 20,000 letters in a row would take half a minute. */
const LONG_RUN =
  /[^\s\0-\x7f\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]{8}(?=\S)|\S{32}(?=\S)|\s{32}(?=\s)/gu;
/** Ends before white space, which belongs to the word after it. */
const BLOCK = /[\s\S]{1,2000}(?=\s|$)|\S{1,2000}/g;
const ASCII = /[\0-\x7f]+/g;
/** More of what the encoder is slow at (some 20 µs a character) is counted by samples. */
const MOST_SLOW_CHARACTERS = 16_000;

/**
 * Counts tokens with OpenAI's o200k vocabulary, which the first call loads (about a second). Exact for OpenAI's
 * present models, but for runs without a space, which count a little too high, and for very long texts in other
 * scripts than ASCII's, which are sampled; other models' vocabularies differ by some ten per cent.
 */
export class TokenCounter {
  #encoder: Promise<Tiktoken> | undefined;

  async count(text: string): Promise<number> {
    if (text === '') return 0;
    this.#encoder ??= loadEncoder();
    const encoder = await this.#encoder;
    const blocks = text.match(BLOCK) ?? [];
    const step = Math.ceil(text.replace(ASCII, '').length / MOST_SLOW_CHARACTERS) || 1;
    const breather = new Breather();
    let [tokens, characters] = [0, 0];
    for (let at = 0; at < blocks.length; at += step) {
      // What looks like a control token in a user's text is text, hence the empty lists.
      for (const piece of shortRuns(blocks[at]!)) tokens += encoder.encode(piece, [], []).length;
      characters += blocks[at]!.length;
      await breather.breathe();
    }
    return step === 1 ? tokens : Math.round((tokens * text.length) / characters);
  }
}

async function loadEncoder(): Promise<Tiktoken> {
  const [{ Tiktoken }, { default: ranks }] = await Promise.all([
    import('js-tiktoken/lite'),
    import('js-tiktoken/ranks/o200k_base'),
  ]);
  return new Tiktoken(ranks);
}

function shortRuns(text: string): string[] {
  return text.replace(LONG_RUN, '$&\u0000').split('\u0000');
}
