import { escaped } from './escaped.ts';
import { ROLE_WORDS } from './role-words.ts';

/** "Sanna’s old parrot": an owner, and the words that may say who or what is owned. */
interface Owned {
  readonly owner: string;
  readonly words: readonly string[];
}

const NAME = String.raw`["“]?(?<name>\p{Lu}[\p{L}\p{M}-]+(?: \p{Lu}[\p{L}\p{M}-]+)?)(?![\p{L}\p{M}])`;
const DESCRIBED = String.raw`(?:\p{Ll}[\p{L}-]{0,30} ){0,2}(?:ex-)?`;
/** Words that make of a relative a former one, and those that may. */
const FORMER = /(?<![\p{L}-])(?:former|previous|prior|past|ex|then|erstwhile)(?!\p{L})/u;
const MAYBE_FORMER = /(?<![\p{L}-])(?:late|deceased|old|first|last|was)(?!\p{L})/u;
const OWNED =
  /(?<![\p{L}\p{N}-])(?<owner>\p{Lu}[\p{L}\p{M}\p{N}-]{0,60})['’]s? (?<words>\p{Ll}[\p{L}-]{1,30}(?: \p{Ll}[\p{L}-]{1,30}){0,2})(?![\p{L}-])(?! ["“]?\p{Lu})/u;
/** The name itself is asked for: "Who is my boss?", "What is my parrot called?" */
const ASKS_NAME =
  /(?<!\p{L})(?:called|names?|named)(?!\p{L})|^\W*(?:(?:and|so) )?who(?:['’]s| is| was| are| were)(?!\p{L})/iu;
const ROLE = new RegExp(`^(?:${ROLE_WORDS})$`, 'u');
/** Words for the same relative. */
const SAME = [
  'mother mom mum mommy mama',
  'father dad daddy papa',
  'grandmother grandma granny nana',
  'grandfather grandpa granddad',
  'neighbor neighbour',
  'colleague coworker co-worker workmate',
].map((words) => words.split(' '));

/** Whose relative, colleague or animal a question asks about; null without an owner, or where it asks for the name. */
export function ownedIn(question: string): Owned | null {
  const found = OWNED.exec(question);
  const { owner, words } = found?.groups ?? {};
  if (owner === undefined) return null;
  // "Ann’s husband’s sister" asks for the sister.
  const isChain = /^['’]s?(?!\p{L})/u.test(question.slice(found!.index + found![0].length));
  return ASKS_NAME.test(question) && !isChain ? null : { owner, words: words!.split(' ') };
}

/** The word and other words for the same relative. */
export function wordsFor(noun: string): readonly string[] {
  return SAME.find((words) => words.includes(noun)) ?? [noun];
}

/**
 * A question with the name of the one that it calls by a relation: "What does Sanna’s parrot Biscuit eat?" Unchanged if
 * the statements tell no name. Of several names the last told counts; a former relative only for a question about one,
 * and what may be a former one, such as "my late husband", where no other is told.
 *
 * @param statements Statements about the owner with one of the words, in the order in which they were told.
 */
export function withRelative(
  question: string,
  { owner, words }: Owned,
  statements: readonly string[],
): string {
  const asked = words.join(' ');
  for (const word of words) {
    const name = nameAsked(asked, statements.map(namesOf(owner, word.replace(/^ex-/, ''))));
    if (name === undefined || question.includes(name)) continue;
    return question.replace(
      new RegExp(`(['’]s? (?:[\\p{L}-]+ ){0,2}?${word})(?![\\p{L}-])`, 'u'),
      `$1 ${name}`,
    );
  }
  return question;
}

/** A name with the words that say whose it is: "Sanna’s former boss Henrik". */
interface Named {
  readonly name: string;
  readonly words: string;
}

function nameAsked(asked: string, told: readonly (Named | null)[]): string | undefined {
  const named = told.filter((each) => each !== null);
  const isFormer = ({ words }: Named) => FORMER.test(words);
  if (FORMER.test(asked)) return named.findLast(isFormer)?.name;
  const present = named.filter(
    ({ name }, at) => !named.slice(at).some((later) => later.name === name && isFormer(later)),
  );
  const [maybe, sure] = [true, false].map((is) =>
    present.filter(({ words }) => MAYBE_FORMER.test(words) === is),
  );
  const [first, second] = MAYBE_FORMER.test(asked) ? [maybe!, sure!] : [sure!, maybe!];
  return (first.at(-1) ?? second.at(-1))?.name;
}

/** A sentence of a speaker as a statement about them: "Sanna’s husband Rasmus calls it a collection". */
export function asToldBy(sentence: string, speaker: string): string {
  return sentence
    .replace(/(?<![\p{L}'’])(?:my|our)(?![\p{L}])/giu, () => `${speaker}’s`)
    .replace(/(?<![\p{L}'’])(?:I|[Ww]e)(?![\p{L}])/gu, () => speaker);
}

/** Names inside a question, beside those of owners: "Alva" of "How old is Alva?" */
export function namesOfOthers(question: string): readonly string[] {
  return Array.from(question.matchAll(INSIDE), ([name]) => name);
}
const INSIDE = /(?<=\p{L} )\p{Lu}\p{Ll}[\p{L}\p{M}-]*(?!['’\p{L}])/gu;

/**
 * A question with whose relative the one is whom it names: "How old is Sanna’s daughter Alva?" Unchanged if the
 * statements tell none or several.
 */
export function withOwner(
  question: string,
  name: string,
  { speakers, statements }: { readonly speakers: readonly string[]; readonly statements: readonly string[] },
): string {
  const own = `(?<owner>${speakers.map(escaped).join('|')})['’]s? ${DESCRIBED}(?<noun>${ROLE_WORDS})`;
  const forms = [
    new RegExp(
      `(?<![\\p{L}\\p{N}])${own}(?:['’]s name is|,? (?:is )?(?:called|named)|,)? ${escaped(name)}(?![\\p{L}\\p{N}])`,
      'u',
    ),
    new RegExp(`(?<![\\p{L}\\p{N}])${escaped(name)}(?:,? who)? (?:is|was) ${own}(?![\\p{L}-])`, 'u'),
    new RegExp(`(?<![\\p{L}\\p{N}])${escaped(name)}, ${own}(?=\\s*(?:[,.;:]|$))`, 'u'),
  ];
  const known = new Set<string>();
  for (const each of statements)
    for (const found of forms.map((form) => form.exec(each))) {
      if (found === null) continue;
      const relation = `${found.groups!.owner}’s ${found.groups!.noun}`;
      if (FORMER.test(found[0])) known.delete(relation);
      else known.add(relation);
    }
  const [relation] = known;
  return known.size === 1 ? question.replace(name, () => `${relation} ${name}`) : question;
}

/** Reads the name of an owner's relative in a statement; null without. */
function namesOf(owner: string, word: string): (statement: string) => Named | null {
  const nouns = wordsFor(word).map(escaped);
  const noun = `(?:${nouns.join('|')})(?![\\p{L}-])`;
  const opening = nouns.map((each) => `[${each[0]}${each[0]!.toUpperCase()}]${each.slice(1)}`).join('|');
  const own = `(?<![\\p{L}\\p{N}])${escaped(owner)}['’]s? ${DESCRIBED}${noun}`;
  // A thing has a name only where that is said: "a Volvo" is none.
  const beside = ROLE.test(word)
    ? '(?:,? (?:is |was )?(?:called|named) |,? (?!\\p{L}+ly(?!\\p{L})))'
    : ',? (?:is |was )?(?:called|named) ';
  const forms = [
    `(?<![\\p{L}-])(?:${opening}), that(?:['’]s| is) ${NAME}`,
    `(?:${own}|(?<!\\p{L})(?:an?|the|his|her|their) ${DESCRIBED}${noun})${beside}${NAME}`,
    `${own}['’]s name is ${NAME}`,
    `${NAME}["”]?(?:(?:,? who)? (?:is|was) ${own}|, ${own}(?=\\s*(?:[,.;:]|$)))`,
  ].map((form) => new RegExp(form, 'u'));
  return (statement) => {
    const lower = statement.toLowerCase();
    if (!nouns.some((each) => lower.includes(each))) return null;
    for (const form of statement.includes(owner) ? forms : forms.slice(0, 1)) {
      const found = form.exec(statement);
      const name = found?.groups?.name;
      if (name !== undefined && name !== owner) return { name, words: found![0] };
    }
    return null;
  };
}

/** "Sanna’s daughter Alva" in a question: the word, and the name that stands for the same. */
export interface Relative {
  readonly noun: string;
  readonly name: string;
}

/** Null where a question has none. @param isLiving Whether a noun is somebody: "in Oslo" is nobody. */
export function relativeIn(question: string, isLiving: (noun: string) => boolean): Relative | null {
  const { noun, name } = WITH_NAME.exec(question)?.groups ?? {};
  return noun === undefined || !isLiving(noun) ? null : { noun, name: name! };
}
const WITH_NAME = new RegExp(
  String.raw`(?<![\p{L}\p{N}-])\p{Lu}[\p{L}\p{M}\p{N}-]{0,60}['’]s? ${DESCRIBED}(?<noun>\p{Ll}[\p{L}-]{1,30}) ${NAME}`,
  'u',
);
