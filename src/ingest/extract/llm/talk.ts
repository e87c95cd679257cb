import { type PromptTurn, shownWords } from '../../../prompts/render-turns.ts';
import { clockTime } from '../../../util/speaker-clock.ts';
import { entityNameKey, keySays } from '../../../util/tidy.ts';
import type { TurnToRead } from '../extractor.ts';
import { speakerName } from '../local/speakers.ts';
import type { DropLog } from './drop-log.ts';

/** What the model was shown before the turns of a segment. */
export interface Before {
  /** The turns of the session, oldest first. */
  readonly earlier: readonly TurnToRead[];
  /** The names in memory and the summary of earlier turns, as one text. */
  readonly names: string;
}

const NOTHING: Before = { earlier: [], names: '' };

/** The turns of a segment, addressed by the numbers that replies use. */
export class Talk {
  readonly turns: readonly TurnToRead[];
  readonly speakers: readonly string[];
  readonly before: Before;
  readonly #texts: readonly string[];
  /** Name keys of texts and speakers, cached because names are searched in them repeatedly. */
  readonly #keys: readonly { readonly text: string; readonly speaker: string }[];

  constructor(turns: readonly TurnToRead[], before: Before = NOTHING) {
    this.turns = turns;
    this.before = before;
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
