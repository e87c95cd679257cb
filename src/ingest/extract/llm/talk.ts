import type { DropLog } from '../../../inference/language-model/reading/drop-log.ts';
import { type PromptTurn, shownWords } from '../../../prompts/render-turns.ts';
import { clockTime } from '../../../util/speaker-clock.ts';
import { entityNameKey, keySays } from '../../../util/tidy.ts';
import type { TurnToRead } from '../extractor.ts';
import { speakerName } from '../local/speakers.ts';

/** What the model was shown besides the turns of a segment. */
export interface Shown {
  /** The turns before them, oldest first. */
  readonly earlier: readonly TurnToRead[];
  /** The turns after them. */
  readonly later: readonly TurnToRead[];
  /** The names in memory and the summary of earlier turns, as one text. */
  readonly names: string;
}

const NOTHING: Shown = { earlier: [], later: [], names: '' };
/** The parts of a name that no paraphrase makes: "Luna". */
const PROPER = /\p{Lu}[\p{L}\p{M}\p{N}]*/gu;

/** The turns of a segment, addressed by the numbers that replies use. */
export class Talk {
  readonly turns: readonly TurnToRead[];
  readonly speakers: readonly string[];
  readonly shown: Shown;
  readonly #texts: readonly string[];
  /** Name keys of texts and speakers, cached because names are searched in them repeatedly. */
  readonly #keys: readonly { readonly text: string; readonly speaker: string }[];
  /** What was shown besides, as a key; null until it is needed. */
  #others: string | null = null;

  constructor(turns: readonly TurnToRead[], shown: Shown = NOTHING) {
    this.turns = turns;
    this.shown = shown;
    this.speakers = turns.map(speakerName);
    this.#texts = turns.map(shownWords);
    this.#keys = this.#texts.map((text, at) => ({
      text: entityNameKey(text),
      speaker: entityNameKey(this.speakers[at]!),
    }));
  }

  /** Whether the text of a turn contains the words. */
  says(at: number, words: string): boolean {
    return keySays(this.#keys[at]!.text, entityNameKey(words));
  }

  /** Converts the numbers of a reply to positions, ascending, without duplicates; logs unknown numbers. */
  cited(numbers: readonly number[], log: DropLog): number[] {
    const known = numbers.filter(
      (number) => Number.isInteger(number) && number >= 1 && number <= this.turns.length,
    );
    log.note('citation', 'unknown-number', numbers.length - known.length);
    return [...new Set(known.map((number) => number - 1))].sort((a, b) => a - b);
  }

  /** The turns whose text or speaker contains the words. */
  where(words: string): number[] {
    const key = entityNameKey(words);
    return this.#keys.flatMap(({ text, speaker }, at) =>
      keySays(text, key) || keySays(speaker, key) ? [at] : [],
    );
  }

  /** The text that the model was shown for a turn. */
  text(at: number): string {
    return this.#texts[at]!;
  }

  /** Whether a part of a proper name was shown, here or elsewhere; other names are made of the words of a talk. */
  knows(name: string): boolean {
    const parts = name.match(PROPER) ?? [];
    return parts.length === 0 || parts.some((part) => this.where(part).length > 0 || this.#isShown(part));
  }

  #isShown(word: string): boolean {
    const { earlier, later, names } = this.shown;
    const texts = () => [...earlier, ...later].flatMap((turn) => [speakerName(turn), shownWords(turn)]);
    this.#others ??= entityNameKey([names, ...texts()].join('\n'));
    return keySays(this.#others, entityNameKey(word));
  }

  /** Whether a turn contains exactly this text. */
  contains(text: string): boolean {
    return this.#texts.some((each) => each.includes(text));
  }

  spokenBy(speaker: string): number[] {
    return this.speakers.flatMap((name, at) => (name === speaker ? [at] : []));
  }
}

export function toPromptTurn(turn: TurnToRead): PromptTurn {
  const { speaker, role, content, attachments } = turn;
  return { speaker, role, at: clockTime(turn), content, attachments };
}
