import { cached, wordSet } from '../../util/collections.ts';
import roles from '../../util/roles.json' with { type: 'json' };
import { entityNameKey } from '../../util/tidy.ts';
import { entityKey } from '../extract/local/entity-key.ts';
import nicknames from './nicknames.json' with { type: 'json' };

/** Short forms that are no prefix of the name, in both directions. */
const NICKNAMES: ReadonlyMap<string, readonly string[]> = readNicknames();
/** "Mel" is accepted for "Melanie", but "Al" would match too many names. */
const SHORTEST = 3;

/** Whether one first name, as a key, is a usual short form of the other: by the table or as a prefix. */
function areNicknames(a: string, b: string): boolean {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  if (short === long) return false;
  if (NICKNAMES.get(long)?.includes(short) || NICKNAMES.get(short)?.includes(long)) return true;
  return short.length >= SHORTEST && long.startsWith(short);
}

/** The names that the table has for a nickname, and the nicknames that it has for a name. */
export function otherForms(name: string): readonly string[] {
  return NICKNAMES.get(name) ?? [];
}

function readNicknames(): ReadonlyMap<string, readonly string[]> {
  const forms = new Map<string, string[]>();
  const add = (from: string, to: string) => forms.set(from, [...(forms.get(from) ?? []), to]);
  for (const [name, short] of Object.entries(nicknames)) {
    for (const each of short.split(' ')) {
      add(name, each);
      add(each, name);
    }
  }
  return forms;
}

/** The role of one person towards another. One person may have several roles of a group, but not of two groups. */
export interface Role {
  readonly group: string;
  readonly gender: 'female' | 'male' | null;
}

const KIN: ReadonlySet<string> = new Set(
  'parent child sibling siblings-child parents-sibling cousin grandparent grandchild partner in-law kin'.split(
    ' ',
  ),
);
/** The relative of a relative: "Nora's sister's son" is her nephew. */
const COMPOSED: Readonly<Record<string, string>> = {
  'sibling child': 'siblings-child',
  'parent sibling': 'parents-sibling',
  'parent parent': 'grandparent',
  'child child': 'grandchild',
  'parents-sibling child': 'cousin',
  'parent child': 'sibling',
  'partner parent': 'in-law',
  'partner sibling': 'in-law',
  'sibling partner': 'in-law',
  'child partner': 'in-law',
};

const TRADES = wordSet(roles.trades);

const ROLES: ReadonlyMap<string, Role> = readRoles();
function roleOf(word: string): Role | undefined {
  return ROLES.get(word.toLowerCase());
}

/** Whether a chain without an owner is an occupation or general role: "a doctor", "a father". */
export function isTrade(words: readonly string[]): boolean {
  return words.length === 1 && TRADES.has(words[0]!.toLowerCase());
}

/** The role towards the anchor that a chain such as ["sister", "son"] expresses; undefined if a word is no role. */
export function roleOfChain(words: readonly string[]): Role | undefined {
  const [first, ...rest] = words.map(roleOf);
  return rest.reduce(
    (to, next) => (to === undefined || next === undefined ? undefined : compose(to, next)),
    first,
  );
}

function compose(to: Role, { group, gender }: Role): Role {
  const known = COMPOSED[`${to.group} ${group}`];
  if (known !== undefined) return { group: known, gender };
  return { group: KIN.has(to.group) && KIN.has(group) ? 'kin' : `${to.group}'s ${group}`, gender };
}

/** Whether one person may have both roles towards the same anchor. */
export function mayBeBoth(a: Role, b: Role): boolean {
  if (a.gender !== null && b.gender !== null && a.gender !== b.gender) return false;
  if (a.group === b.group) return true;
  if (KIN.has(a.group) && KIN.has(b.group)) return a.group === 'kin' || b.group === 'kin';
  // A colleague or a husband may be called a friend; a nephew or a dog is called by its role.
  const [friend, other] = a.group === 'friend' ? [a, b] : [b, a];
  return (
    friend.group === 'friend' && other.group !== 'pet' && (!KIN.has(other.group) || other.group === 'partner')
  );
}

function readRoles(): ReadonlyMap<string, Role> {
  const genders = ['female', 'male', null] as const;
  return new Map(
    Object.entries(roles.byGender).flatMap(([group, lists]) =>
      lists.flatMap((list, at) =>
        [...wordSet([list])]
          .filter(Boolean)
          .map((word): [string, Role] => [word, { group, gender: genders[at]! }]),
      ),
    ),
  );
}

/** A longer text is no name: it equals only itself and resembles nothing else. */
export const LONGEST_NAME = 120;
const MOST_WORDS = 5;
const TITLE = /^(?:mr|mrs|ms|miss|mx|dr|prof|professor)\.? (?=\S)/;
const CAPITAL = /\p{Lu}/u;
const SMALL = /\p{Ll}/u;
/** Words that are no surname, as in "David's Birthday Party". */
const NO_NAME = /^\p{Ll}|['’]s$/u;
const PARTICLE = /^(?:de|da|di|del|della|la|le|van|von|der|den|du|dos|das|bin|ibn|al|el|y)$/;
const GROUP_OF_KIN =
  /^(?:famil(?:y|ies)|household|parents|grandparents|kids|children|siblings|folks|relatives|in-laws)$/;
const GROUP = /^(?:famil(?:y|ies)|people|children|folks|relatives|ones|.*[^s]s)$/;

/** "owen's family", "owen reed's old car": an owner and what is theirs, in a key. */
const POSSESSIVE = /^(?<owner>.+?)(?:['’]s|(?<=s)['’]) (?<owned>.+)$/;

/** Whose an entity is, by its name. */
interface Possession {
  /** Key of the owner's name. */
  readonly owner: string;
  /** The words for what is theirs, without the owner: "family", "sister's son". */
  readonly owned: readonly string[];
}

/** The parts of a name. */
export class NameForm {
  readonly key: string;
  /** The words of the key without titles, hyphens and dots. */
  readonly words: readonly string[];
  /**
   * Whether it is written as a name: with a capital, or in a script without case. "My mom" and "kids" are no proper
   * names.
   */
  readonly isProper: boolean;
  /**
   * Whether it has first name and surname. Few share a full name, so two bearers are taken for one, unlike two called
   * "Alex".
   */
  readonly isFull: boolean;
  #plain: string | null = null;
  #stems: readonly string[] | null = null;

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

  /** The words without plurals. */
  get stems(): readonly string[] {
    this.#stems ??= this.words.map(entityKey);
    return this.#stems;
  }

  /** For "Owen's family"; null for a name without an owner. */
  get possession(): Possession | null {
    if (this.key.length > LONGEST_NAME) return null;
    const found = POSSESSIVE.exec(this.key)?.groups;
    return found === undefined ? null : { owner: found.owner!, owned: found.owned!.split(' ') };
  }

  /** The key without articles, possessives, hyphens and the plural; null for a text that is too long to be a name. */
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

/** Parses each name once, because the names of a batch are compared many times. */
export class NameReader {
  readonly #read = new Map<string, NameForm>();

  formsOf({ name, aliases }: { readonly name: string; readonly aliases: readonly string[] }): NameForm[] {
    return [name, ...aliases].map((each) => this.#form(each));
  }

  #form(name: string): NameForm {
    return cached(this.#read, name, () => new NameForm(name));
  }
}

/**
 * Whether the name refers to one person, rather than to somebody's "mom" or "kids". Some write "alex" without a
 * capital: a single word that is no role is taken for a name.
 */
export function namesPerson({ isProper, words }: NameForm): boolean {
  return isProper || (words.length === 1 && !GROUP.test(words[0]!) && !ROLES.has(words[0]!));
}

/** Ignores titles, dots and hyphens. */
export function isSameName(a: NameForm, b: NameForm): boolean {
  return a.key === b.key || (a.words.length > 0 && a.words.join(' ') === b.words.join(' '));
}

/**
 * Whether two names differ in more than the owner: "Owen's family" may be Owen's kin of another name, but neither Owen
 * nor Ann's family. False only where a possessive shows it.
 */
export function mayNameTheSame(a: NameForm, b: NameForm): boolean {
  const [one, two] = [a.possession, b.possession];
  if (one === null && two === null) return true;
  if (one !== null && two !== null && !isSameOwner(one.owner, two.owner)) return false;
  const [owned, other] = [one?.owned ?? a.words, two?.owned ?? b.words];
  if (owned.some((word) => other.some((each) => entityKey(each) === entityKey(word)))) return true;
  const [role, otherRole] = [roleOfChain(owned.slice(-1)), roleOfChain(other.slice(-1))];
  return role !== undefined && otherRole !== undefined && mayBeBoth(role, otherRole);
}

function isSameOwner(a: string, b: string): boolean {
  return a === b || a.startsWith(`${b} `) || b.startsWith(`${a} `);
}

/** Roles that several people may have for one person: "Owen's friend" is not always the same one. */
const MANY: ReadonlySet<string> = new Set(['work', 'school', 'home', 'sport', 'care', 'friend', 'pet']);

/**
 * Whether an equal name with an owner means the same person or people every time, like "Owen's family" and "Owen's
 * mother". One owner may have two friends, two dogs or two cars.
 */
export function isOneOfOwner({ possession }: NameForm): boolean {
  const last = possession?.owned.at(-1);
  if (last === undefined) return false;
  const role = roleOfChain([last]);
  return role === undefined ? GROUP_OF_KIN.test(last) : !MANY.has(role.group);
}

/** Whether both have full names and share none: such entities are never merged. */
export function areRivalNames(a: readonly NameForm[], b: readonly NameForm[]): boolean {
  const [full, other] = [a.filter(({ isFull }) => isFull), b.filter(({ isFull }) => isFull)];
  if (full.length === 0 || other.length === 0) return false;
  return !full.some((one) => other.some((two) => isSameName(one, two)));
}

/** "Alex" and "Alex Kim": one is the first word of the other. */
export function isShortOf(a: NameForm, b: NameForm): boolean {
  const [short, long] = a.words.length < b.words.length ? [a, b] : [b, a];
  return short.words.length === 1 && long.isFull && short.isProper && short.words[0] === long.words[0];
}

/** "Mel" and "Melanie", also if one has a surname. */
export function isNicknameOf(a: NameForm, b: NameForm): boolean {
  if (!a.isProper || !b.isProper || Math.min(a.words.length, b.words.length) !== 1) return false;
  if (a.possession !== null || b.possession !== null) return false;
  return areNicknames(a.words[0]!, b.words[0]!);
}

/**
 * Whether two names may be forms of one: a nickname, one owner and one role, or all words of one in the other
 * ("Riverside" and "Riverside Park"). "Dance studio" is no "yoga studio".
 */
export function areAlike(a: NameForm, b: NameForm): boolean {
  if (isSameName(a, b) || isShortOf(a, b) || isNicknameOf(a, b)) return true;
  const [short, long] = a.words.length <= b.words.length ? [a.stems, b.stems] : [b.stems, a.stems];
  if (short.length === 0 || !mayNameTheSame(a, b)) return false;
  if (a.possession !== null || b.possession !== null) return true;
  return short.every((word) => long.includes(word));
}

/** Whether the words are equal without articles, possessives, hyphens and the plural. */
export function isVariantOf(a: NameForm, b: NameForm): boolean {
  if (a.plain === null || b.plain === null) return false;
  // A name has no plural: the Americas are not America.
  if (a.isProper && b.isProper && a.words.length === 1) return a.words[0] === b.words[0];
  // The plural rules miss some words: "movies", "horses".
  return a.plain === b.plain || a.key === `${b.key}s` || b.key === `${a.key}s`;
}
