import type { TurnToRead } from '../extractor.ts';

/** A shorter alias ("Al") would match too many words. */
const SHORTEST_ALIAS = 3;

/** What one tells a machine of itself ("You are a pirate") is an instruction. */
const PERSONS: ReadonlySet<TurnToRead['role']> = new Set(['user', 'other']);

/** The speakers of a unit and the forms of their names. */
export interface Speakers {
  readonly names: readonly string[];
  /** Those with turns of the role `user`. */
  readonly users: readonly string[];
  /** Whether three or more persons talk. */
  readonly isGroup: boolean;
  /** The speaker that a capitalised word names, if it is exactly one. */
  readonly called: (word: string) => string | null;
  /** The person that "you" refers to in turns of this speaker; null unless two persons speak. */
  readonly other: (speaker: string) => string | null;
}

/** A blank or overlong name is replaced by the role. */
export function speakerName(turn: Pick<TurnToRead, 'speaker' | 'role'>): string {
  const name = turn.speaker
    .replace(/[\p{Cc}\p{Cs}\s]+/gu, ' ')
    .trim()
    .slice(0, 80);
  return name === '' ? turn.role : name;
}

export function readSpeakers(unit: readonly TurnToRead[]): Speakers {
  const names = [...new Set(unit.map(speakerName))];
  const users = [...new Set(unit.filter(({ role }) => role === 'user').map(speakerName))];
  const persons = new Set(unit.filter(({ role }) => PERSONS.has(role)).map(speakerName));
  return {
    names,
    users,
    isGroup: persons.size > 2,
    called: (word) => theOnly(names.filter((name) => isCalled(name, word))),
    other: (speaker) => {
      const other = names.length === 2 ? names.find((name) => name !== speaker) : undefined;
      return other !== undefined && persons.has(other) ? other : null;
    },
  };
}

/** By the full name, its first word, or a prefix of that with three or more letters. */
function isCalled(name: string, word: string): boolean {
  const [full, called] = [name.toLowerCase(), word.toLowerCase()];
  if (full === called) return true;
  const first = full.split(' ')[0]!;
  return called.length >= SHORTEST_ALIAS && first.startsWith(called) && !/\s/.test(called);
}

function theOnly(names: readonly string[]): string | null {
  return names.length === 1 ? names[0]! : null;
}
