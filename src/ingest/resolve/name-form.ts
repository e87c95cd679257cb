import { entityNameKey } from '../../util/entity-name-key.ts';
import { entityKey } from '../local/entity-key.ts';
import { areNicknames } from './nicknames.ts';
import { isRoleWord } from './roles.ts';

/** Longer ones are nobody's name: they are equal to themselves, and like nothing else. */
export const LONGEST_NAME = 120;
const MOST_WORDS = 5;
const TITLE = /^(?:mr|mrs|ms|miss|mx|dr|prof|professor)\.? (?=\S)/;
const CAPITAL = /\p{Lu}/u;
const SMALL = /\p{Ll}/u;
/** "David's Birthday Party" is nobody's surname. */
const NO_NAME = /^\p{Ll}|['’]s$/u;
const PARTICLE = /^(?:de|da|di|del|della|la|le|van|von|der|den|du|dos|das|bin|ibn|al|el|y)$/;
const GROUP = /^(?:famil(?:y|ies)|people|children|folks|relatives|ones|.*[^s]s)$/;

/** What a name is made of. */
export class NameForm {
  readonly key: string;
  /** The key without titles, hyphens and dots, in words. */
  readonly words: readonly string[];
  /** Written as names are: with a capital, or in a script that has none. "My mom" and "kids" are no proper names. */
  readonly isProper: boolean;
  /** First name and surname: borne by few, so that two who share it are taken for one, unlike two called "Alex". */
  readonly isFull: boolean;
  #plain: string | null = null;

  constructor(name: string) {
    this.key = entityNameKey(name);
    const isLong = name.length > LONGEST_NAME;
    this.words = isLong
      ? [this.key]
      : this.key.replace(TITLE, '').replace(/[.,-]/g, ' ').split(' ').filter(Boolean);
    this.isProper = !isLong && (CAPITAL.test(name) || !SMALL.test(name));
    const isNamed = name.split(/[\s-]+/).every((word) => !NO_NAME.test(word) || PARTICLE.test(word));
    this.isFull = this.isProper && isNamed && this.words.length > 1 && this.words.length <= MOST_WORDS;
  }

  /** The key without articles, possessives, hyphens and the plural; null for what is too long to be a name. */
  get plain(): string | null {
    if (this.key === '' || this.key.length > LONGEST_NAME) return null;
    this.#plain ??= entityKey(
      this.key
        .replace(/[.,-]+/g, ' ')
        .replace(/ +/g, ' ')
        .trim(),
    );
    return this.#plain;
  }
}

export function readName(name: string): NameForm {
  return new NameForm(name);
}

/** Reads each name once: those of a batch are compared many times. */
export class NameReader {
  readonly #read = new Map<string, NameForm>();

  formsOf({ name, aliases }: { readonly name: string; readonly aliases: readonly string[] }): NameForm[] {
    return [name, ...aliases].map((each) => this.#form(each));
  }

  #form(name: string): NameForm {
    const known = this.#read.get(name);
    if (known !== undefined) return known;
    const form = new NameForm(name);
    this.#read.set(name, form);
    return form;
  }
}

/**
 * Whether one person is meant by the name, and not whoever is somebody's "mom" or "kids". Some write "alex" without a
 * capital: one word that says what nobody is to anybody is taken for a name.
 */
export function namesPerson({ isProper, words }: NameForm): boolean {
  return isProper || (words.length === 1 && !GROUP.test(words[0]!) && !isRoleWord(words[0]!));
}

/** Titles, dots and hyphens aside. */
export function isSameName(a: NameForm, b: NameForm): boolean {
  return a.key === b.key || (a.words.length > 0 && a.words.join(' ') === b.words.join(' '));
}

/** Whether both are full names and not one: their bearers are then never taken for the same person. */
export function areRivalNames(a: readonly NameForm[], b: readonly NameForm[]): boolean {
  const [full, other] = [a.filter(({ isFull }) => isFull), b.filter(({ isFull }) => isFull)];
  if (full.length === 0 || other.length === 0) return false;
  return !full.some((one) => other.some((two) => isSameName(one, two)));
}

/** "Alex" beside "Alex Kim": one is the other's first word alone. */
export function isShortOf(a: NameForm, b: NameForm): boolean {
  const [short, long] = a.words.length < b.words.length ? [a, b] : [b, a];
  return short.words.length === 1 && long.isFull && short.isProper && short.words[0] === long.words[0];
}

/** "Mel" beside "Melanie", also where one has a surname. */
export function isNicknameOf(a: NameForm, b: NameForm): boolean {
  if (!a.isProper || !b.isProper || Math.min(a.words.length, b.words.length) !== 1) return false;
  return areNicknames(a.words[0]!, b.words[0]!);
}

/** The same words but for articles, possessives, hyphens and the plural. */
export function isVariantOf(a: NameForm, b: NameForm): boolean {
  if (a.plain === null || b.plain === null) return false;
  // A name has no plural: the Americas are not America.
  if (a.isProper && b.isProper && a.words.length === 1) return a.words[0] === b.words[0];
  // The rules of the plural miss some words: "movies", "horses".
  return a.plain === b.plain || a.key === `${b.key}s` || b.key === `${a.key}s`;
}
