import type { Episode, Profile } from '../../model/nodes.ts';
import { analyze } from '../../search/analyzer.ts';

/** Texts as the words that stand in each of them. */
export class Texts {
  readonly #sets: readonly ReadonlySet<string>[];

  constructor(texts: Iterable<string>) {
    this.#sets = Array.from(texts, (text) => new Set(analyze(text)));
  }

  /** Whether one of the texts has all words of the name. */
  say(name: string): boolean {
    const words = analyze(name);
    return words.length > 0 && this.#sets.some((set) => words.every((word) => set.has(word)));
  }
}

/** Everything that a turn says, its speaker and the pictures shown with it included. */
export function wordsOfTurn({
  content,
  speaker,
  attachments,
}: Pick<Episode, 'content' | 'speaker' | 'attachments'>): string[] {
  return [`${speaker} ${content}`, ...attachments.map(({ description }) => description)];
}

export interface NamesLeft {
  readonly name: string;
  readonly aliases: readonly string[];
  /** Names that only what goes has said. */
  readonly dropped: readonly string[];
}

/**
 * What an entity may still be called: names that what goes has said and nothing that stays does are dropped. A name that
 * neither has said was made up by whoever read them, of words such as "her sister", and stays.
 *
 * @param fallback What it is called when no name is left.
 */
export function namesLeft(
  { name, aliases }: Pick<Profile, 'name' | 'aliases'>,
  { staying, going, fallback }: { readonly staying: Texts; readonly going: Texts; readonly fallback: string },
): NamesLeft {
  const all = [...new Set([name, ...aliases])];
  const kept = all.filter((each) => staying.say(each) || !going.say(each));
  const dropped = all.filter((each) => !kept.includes(each));
  const [first, ...others] = kept.length > 0 ? kept : [partLeft(name, staying) ?? fallback];
  return { name: first!, aliases: others, dropped };
}

/** The part of a name that is still said: of "Ann Smith" perhaps "Ann". */
function partLeft(name: string, staying: Texts): string | null {
  const part = name.split(/\s+/).filter((word) => staying.say(word));
  return part.length === 0 ? null : part.join(' ');
}
