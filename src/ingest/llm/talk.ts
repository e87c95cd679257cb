import type { PromptTurn } from '../../prompts/render-turns.ts';
import type { TurnToRead } from '../extractor.ts';
import { speakerName } from '../local/speakers.ts';
import type { DropLog } from './drop-log.ts';
import { says } from './tidy.ts';

/** The turns of a segment as replies point at them. */
export class Talk {
  readonly turns: readonly TurnToRead[];
  readonly speakers: readonly string[];
  readonly #texts: readonly string[];

  constructor(turns: readonly TurnToRead[]) {
    this.turns = turns;
    this.speakers = turns.map(speakerName);
    this.#texts = turns.map(({ content, attachments }) =>
      [content, ...attachments.map(({ description }) => description)].join('\n'),
    );
  }

  /** Positions from the numbers of a reply, ascending, each once; numbers of no turn are noted. */
  cited(numbers: readonly number[], log: DropLog): number[] {
    const known = numbers.filter(
      (number) => Number.isInteger(number) && number >= 1 && number <= this.turns.length,
    );
    log.note('citation', 'unknown-number', numbers.length - known.length);
    return [...new Set(known.map((number) => number - 1))].sort((a, b) => a - b);
  }

  /** The turns whose text or speaker says the words. */
  where(words: string): number[] {
    return this.#texts.flatMap((text, at) =>
      says(text, words) || says(this.speakers[at]!, words) ? [at] : [],
    );
  }

  text(at: number): string {
    return this.#texts[at]!;
  }

  spokenBy(speaker: string): number[] {
    return this.speakers.flatMap((name, at) => (name === speaker ? [at] : []));
  }
}

export function toPromptTurn({ speaker, role, validAt, content, attachments }: TurnToRead): PromptTurn {
  return { speaker, role, at: validAt, content, attachments };
}
