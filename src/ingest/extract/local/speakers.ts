import type { TurnToRead } from '../extractor.ts';

/** An alias shorter than this ("Al") would hit too many words. */
const SHORTEST_ALIAS = 3;

/** Who talks in a unit, and what they are called. */
export interface Speakers {
  readonly names: readonly string[];
  /** The speaker that a capitalised word names, if it is exactly one. */
  readonly called: (word: string) => string | null;
  /** Whom "you" means when this one speaks: known only between two. */
  readonly other: (speaker: string) => string | null;
}

/** A name that is blank or overlong is shown as the role would be. */
export function speakerName(turn: Pick<TurnToRead, 'speaker' | 'role'>): string {
  const name = turn.speaker
    .replace(/[\p{Cc}\p{Cs}\s]+/gu, ' ')
    .trim()
    .slice(0, 80);
  return name === '' ? turn.role : name;
}

export function readSpeakers(unit: readonly TurnToRead[]): Speakers {
  const names = [...new Set(unit.map(speakerName))];
  return {
    names,
    called: (word) => theOnly(names.filter((name) => isCalled(name, word))),
    other: (speaker) => (names.length === 2 ? (names.find((name) => name !== speaker) ?? null) : null),
  };
}

/** By the full name, its first word, or a prefix of that of three letters or more. */
function isCalled(name: string, word: string): boolean {
  const [full, called] = [name.toLowerCase(), word.toLowerCase()];
  if (full === called) return true;
  const first = full.split(' ')[0]!;
  return called.length >= SHORTEST_ALIAS && first.startsWith(called) && !/\s/.test(called);
}

function theOnly(names: readonly string[]): string | null {
  return names.length === 1 ? names[0]! : null;
}
